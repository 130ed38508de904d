"""MLflow: log, register, load and serve a model. What MLflow keeps is the model file, never a pickle."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from conceptrules import __version__
from conceptrules.io import load, save
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork

if TYPE_CHECKING:
    import pandas as pd

PARAMETERS: dict[str, Any] = {"probabilities": False, "reasons": False}
"""What a caller may ask for besides the class, and what is answered by default."""


class ServedNetwork:
    """A network as MLflow calls it."""

    def __init__(self, network: RuleNetwork) -> None:
        self.network = network

    def predict(self, model_input: pd.DataFrame, params: Mapping[str, Any] | None = None) -> pd.DataFrame:
        """Return a pandas table: the class of each row, and its probabilities and reasons where they are asked for."""
        asked = {**PARAMETERS, **(params or {})}
        answers: dict[str, Any] = {"prediction": self.network.predict(model_input)}
        if asked["probabilities"]:
            names = (f"probability_{label}" for label in self.network.classes)
            answers |= dict(zip(names, self.network.predict_proba(model_input).T, strict=True))
        if asked["reasons"]:
            answers["reasons"] = self.network.reasons(model_input).to_list()
        return model_input[[]].assign(**answers)


def log_model(model: Any, name: str, example: pd.DataFrame, **options: Any) -> Any:
    """Log a network, or the network of a fitted model, with MLflow.

    Parameters
    ----------
    model : RuleNetwork or fitted estimator
        What to log.
    name : str
        What MLflow calls it.
    example : pandas.DataFrame
        A few rows. MLflow keeps them, and takes the types of the columns from them.
    **options
        Further options of ``mlflow.pyfunc.log_model``, such as ``registered_model_name``.

    Returns
    -------
    mlflow.models.model.ModelInfo
        What MLflow says of the logged model.

    Raises
    ------
    InputError
        If MLflow is not installed, there is no network to log, or the example lacks a column of it.
    """
    try:
        from mlflow.models import infer_signature
        from mlflow.pyfunc import log_model as log_function
    except ImportError as error:
        raise InputError("MLflow is not installed; run: pip install 'conceptrules[mlflow]'") from error
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.json")
        save(model, path)
        network = load(path)
        rows = example[[column.name for column in network.columns if column.name in example]]
        answers = ServedNetwork(network).predict(rows)
        return log_function(
            name=name,
            loader_module=__name__,
            data_path=str(path),
            input_example=rows,
            signature=infer_signature(rows, answers, PARAMETERS),
            **{"pip_requirements": [f"conceptrules=={__version__}", "pandas"], **options},
        )


def _load_pyfunc(data_path: str) -> ServedNetwork:
    """Load what `log_model` has logged: MLflow calls this by its name."""
    return ServedNetwork(load(data_path))
