"""The arguments and options that several commands take, with their help.

Options that travel together are the fields of a dataclass, and a command has one parameter for all of them:
`expand_options` gives typer a function that has each field as a parameter of its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from conceptrules.tables.files.formats import TextFormat, text_format


def option(help: str, *names: str, default: str | bool = False) -> Any:
    """Return an option for typer; its help shows this text as its default, or nothing."""
    return typer.Option(*names, help=help, show_default=default)


def argument(help: str) -> Any:
    """Return an argument for typer; its help shows no default."""
    return typer.Argument(help=help, show_default=False)


TABLE = "CSV, TSV (also .gz) or Parquet; - for CSV on standard input."
Data = Annotated[str, argument(TABLE)]
TABLES = (
    "CSV, TSV (also .gz) or Parquet: a file, several, a pattern such as 'part-*.parquet', or a folder of Parquet "
    "files; - for CSV on standard input."
)
Files = Annotated[list[str], argument(TABLES)]
Model = Annotated[str, argument("A model file that fit wrote; - for standard input.")]
Out = Annotated[str, typer.Option("--output", "-o", help="A .csv or .parquet file; - for CSV on standard output.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Target = Annotated[str, option("The column to predict.", "--target", "-t")]
By = Annotated[
    list[str],
    typer.Option(
        default_factory=list,
        show_default=False,
        help="A column whose groups are scored one by one; repeat it, or separate names by commas.",
    ),
]
Bins = Annotated[int, option("Predict in which of so many ranges the target is, where it is a quantity.")]
Seed = Annotated[int, typer.Option(help="Same seed, same data: same rules.")]
Jobs = Annotated[int, typer.Option("--n-jobs", help="Cores to use, -1 for all; the result does not depend on it.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no summary.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextOptions:
    """How a table of text is written."""

    delimiter: Annotated[
        str, option("What stands between the fields of a text: ; or tab.", default="comma, in .tsv tab")
    ] = ""
    missing: Annotated[str, option("Words that mean missing besides the empty field: NA,?,-")] = ""
    dates: Annotated[str, option("How to read dates such as 3/4/2024: day-first or month-first.")] = ""

    encoding: Annotated[str, option("How the characters are written: cp1252, latin-1, utf-16.", default="utf-8")] = ""

    @property
    def format(self) -> TextFormat:
        """The format that the options describe; raises if one of them is wrong."""
        return text_format(self.delimiter, self.missing, self.dates, self.encoding)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureOptions:
    """Which columns are learned from, and as what."""

    drop: Annotated[list[str], option("A column to leave out; repeat the option, or separate names by commas.")] = (
        field(default_factory=list)
    )
    only: Annotated[
        list[str], option("A column to learn from; all that are not named are left out. Repeat it, or use commas.")
    ] = field(default_factory=list)
    keep: Annotated[
        list[str],
        option(
            "A column to learn from although it looks like an identifier, or says the same as another. Repeat it, or "
            "use commas."
        ),
    ] = field(default_factory=list)
    kind: Annotated[
        list[str],
        option(
            "The kind of a column, if the guess is wrong: zip=category. Or the order of its categories: "
            "'size=S<M<L'. Free text, whose words rules may ask for: comment=text. Repeat it for more columns."
        ),
    ] = field(default_factory=list)
    relation: Annotated[
        list[str],
        option("Two columns to subtract, divide or compare: 'debt / income', 'paid < due'. Repeat it for more."),
    ] = field(default_factory=list)
    relations: Annotated[
        str | None,
        option("auto: try pairs of columns of numbers, and take the relations that held-out rows are clearly for."),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerOptions:
    """The options of the learner, as they were written; None: not given."""

    method: Annotated[
        str | None,
        option("How to learn: search; mllp, the method of the paper; scorecard; or regression.", default="search"),
    ] = None
    scorecard: Annotated[
        bool,
        typer.Option("--scorecard", help="Learn a scorecard, whose points add up: --method scorecard."),
    ] = False
    regression: Annotated[
        bool,
        typer.Option(
            "--regression", help="Predict a number: rules that add up to it. The same as --method regression."
        ),
    ] = False
    effort: Annotated[
        str | None, option("search, scorecard: how hard to try: fast, default or best.", default="default")
    ] = None
    scoring: Annotated[
        str | None,
        option(
            "search: what to optimise: f1_macro, accuracy, balanced_accuracy or neg_log_loss; scorecard: also roc_auc, "
            "roc_auc_ovr or neg_brier_score.",
            default="f1_macro, of a scorecard neg_log_loss",
        ),
    ] = None
    max_edges: Annotated[int | None, option("search, scorecard: the most edges of the network.")] = None
    max_columns: Annotated[int | None, option("scorecard: the most columns that it asks about.")] = None
    loss: Annotated[
        str | None,
        option(
            "regression: what is made small: squared_error; absolute_error, for the median; or poisson, for counts.",
            default="squared_error",
        ),
    ] = None
    step: Annotated[float | None, option("regression: what a point adds to the number.", default="suits errors")] = None
    max_points: Annotated[int | None, option("scorecard: the most points of a rule.", default="20")] = None
    cutoff: Annotated[
        float | None,
        option(
            "scorecard: where the second of two classes is answered: from this score on, or this probability (0.2).",
            default="by held-out rows",
        ),
    ] = None
    max_rules: Annotated[int | None, option("search: the most rules of the network.")] = None
    max_rule_length: Annotated[int | None, option("search, scorecard: the most literals of a rule.")] = None
    min_rows: Annotated[int | None, option("search, scorecard: the least rows that every rule covers.")] = None
    policy: Annotated[str | None, option("all but mllp: a policy file (TOML) that every network satisfies.")] = None
    immutable: Annotated[
        str | None, option("search, scorecard, regression: columns that cannot change: counterfactuals keep them.")
    ] = None
    layers: Annotated[
        str | None,
        option("mllp: sizes of the middle layers, an odd number of them: auto, 64 or 64,64,64.", default="auto"),
    ] = None
    rate: Annotated[
        str | None, option("mllp: binarization rate, or several to choose from: auto or 0.8,0.9.", default="auto")
    ] = None
    negation: Annotated[
        bool | None, option("Let rules say NOT, or never. By default, those of search may, those of mllp never do.")
    ] = None
    max_epochs: Annotated[int | None, option("mllp: the longest that training may take.", default="400")] = None
    max_categories: Annotated[
        int, typer.Option(help="How many categories of a column are kept, the most frequent ones.")
    ] = 255
    seed: Seed = 0
    n_jobs: Jobs = -1
    device: Annotated[
        str | None,
        option("mllp: where to train: auto, cpu, cuda (all GPUs) or one of them, such as cuda:0.", default="auto"),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningOptions:
    """All that says what to learn from a table, and how."""

    features: FeatureOptions
    learner: LearnerOptions
    groups: Annotated[
        str,
        option(
            "A column that says which rows belong together, such as those of a patient: they are held out "
            "together. It is not learned from."
        ),
    ] = ""
    time: Annotated[
        str, option("A column of dates or numbers: the newest rows are held out. It is not learned from.")
    ] = ""
    exposure: Annotated[
        str,
        option(
            "--loss poisson: the column of how long, or how much, each row was exposed. Rates for one unit are learned."
        ),
    ] = ""
    bins: Bins = 0
    date_parts: Annotated[
        bool,
        typer.Option(
            "--date-parts",
            help="Learn from the month, weekday and hour of dates and the days between them, instead of the dates.",
        ),
    ] = False
    text: TextOptions


@dataclass(frozen=True, slots=True)
class WithoutOption:
    """A note on a dataclass of options: `Annotated[TextOptions, WithoutOption("dates")]` has no option --dates."""

    name: str


def expand_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with a parameter for each field of its dataclasses of options, as typer reads and calls it."""
    parameters = inspect.signature(command, eval_str=True).parameters.values()
    expanded = [option for parameter in parameters for option in _expand(parameter)]

    @wraps(command)
    def run(**values: Any) -> None:
        command(**{parameter.name: _collect_value(parameter, values) for parameter in parameters})

    run.__signature__ = inspect.Signature(expanded)  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in expanded}
    return run


def _expand(parameter: inspect.Parameter) -> Iterator[inspect.Parameter]:
    """Yield the parameter itself, or those of a dataclass and of the dataclasses in it."""
    kind = _option_class(parameter)
    if kind is None:
        yield parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
    else:
        for option in _fields_as_parameters(parameter, kind):
            yield from _expand(option)


def _collect_value(parameter: inspect.Parameter, values: Mapping[str, Any]) -> Any:
    """Return the value of a parameter: a dataclass of options is made from the values of its fields."""
    kind = _option_class(parameter)
    if kind is None:
        return values[parameter.name]
    return kind(**{option.name: _collect_value(option, values) for option in _fields_as_parameters(parameter, kind)})


def _option_class(parameter: inspect.Parameter) -> Any:
    """Return the dataclass that a parameter is annotated with, if it is one."""
    annotation = parameter.annotation
    kind = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    return kind if is_dataclass(kind) else None


def _fields_as_parameters(parameter: inspect.Parameter, kind: Any) -> Iterator[inspect.Parameter]:
    """Yield a parameter for each field of a dataclass, but those that the annotation leaves out."""
    left_out = [note.name for note in get_args(parameter.annotation)[1:] if isinstance(note, WithoutOption)]
    hints = get_type_hints(kind, include_extras=True)
    for option in fields(kind):
        if option.name not in left_out:
            default = inspect.Parameter.empty if option.default is MISSING else option.default
            default = default if option.default_factory is MISSING else option.default_factory()
            yield parameter.replace(name=option.name, annotation=hints[option.name], default=default)
