"""What commands take, and what the text of the options for learning means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from conceptrules.model.errors import InputError

if TYPE_CHECKING:
    from conceptrules.cli.columns import Told
    from conceptrules.estimator import ConceptRuleClassifier

T = TypeVar("T")

TABLE = "CSV, TSV (also .gz) or Parquet; - for CSV on standard input."
Data = Annotated[str, typer.Argument(help=TABLE, show_default=False)]
Model = Annotated[str, typer.Argument(help="A model file that fit wrote; - for standard input.", show_default=False)]
Out = Annotated[str, typer.Option("--output", "-o", help="A .csv or .parquet file; - for CSV on standard output.")]
Target = Annotated[str, typer.Option("--target", "-t", help="The column to predict.", show_default=False)]
Drop = Annotated[
    list[str],
    typer.Option(
        default_factory=list, show_default=False, help="A column to leave out; repeat it, or separate names by commas."
    ),
]
Only = Annotated[
    list[str],
    typer.Option(
        default_factory=list, show_default=False, help="A column to learn from, leaving out all others; likewise."
    ),
]
Kinds = Annotated[
    list[str],
    typer.Option(
        "--kind",
        default_factory=list,
        show_default=False,
        help="column=kind, where the guess is wrong: zip=category; or the order of its categories: 'size=S<M<L'. "
        "Repeat it for more columns.",
    ),
]
Called = Annotated[
    list[str],
    typer.Option(
        "--column",
        default_factory=list,
        show_default=False,
        help="SQL: model name=table name, where the table calls a column otherwise. Repeat it for more columns.",
    ),
]
Stored = Annotated[
    list[str],
    typer.Option(
        "--type",
        default_factory=list,
        show_default=False,
        help="SQL: what the table has in a column, where the kind does not say it: smoker=boolean. BigQuery and "
        "Snowflake need that; DuckDB, PostgreSQL and SQLite see it.",
    ),
]
Keep = Annotated[
    list[str],
    typer.Option(default_factory=list, show_default=False, help="SQL: a further column of the table to give back."),
]
RecipeName = Annotated[str, typer.Option("--recipe", help="How to learn: polished, or paper, the published method.")]
Effort = Annotated[str, typer.Option(help="How hard to try: fast, default or best.")]
Scoring = Annotated[str, typer.Option(help="What to optimise: macro-F1, accuracy, balanced accuracy or log loss.")]
MaxEdges = Annotated[int | None, typer.Option(help="The most edges of the network.", show_default=False)]
MaxRules = Annotated[int | None, typer.Option(help="The most rules of the network.", show_default=False)]
MaxRuleLength = Annotated[int | None, typer.Option(help="The most literals of a rule.", show_default=False)]
Layers = Annotated[
    str, typer.Option(help="With the recipe paper: sizes of the middle layers, an odd number: auto, 64 or 64,64,64.")
]
Rate = Annotated[
    str, typer.Option(help="With the recipe paper: binarization rate, or several to choose from: auto, 0.8,0.9.")
]
Negation = Annotated[
    bool | None,
    typer.Option(
        "--negation/--no-negation",
        help="Let rules say NOT, or never. Else of categories only, and never with the recipe paper.",
        show_default=False,
    ),
]
MaxEpochs = Annotated[int, typer.Option(help="With the recipe paper: the longest that training may take.")]
MaxCategories = Annotated[int, typer.Option(help="How many categories of a column are kept, the most frequent ones.")]
Seed = Annotated[int, typer.Option(help="Same seed, same data: same rules.")]
Jobs = Annotated[int, typer.Option("--n-jobs", help="Cores to use, -1 for all; the result does not depend on it.")]
Device = Annotated[str, typer.Option(help="Where to train: auto, cpu, cuda (all GPUs) or one of them, cuda:0.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No summary.")]


@dataclass(frozen=True, slots=True)
class Polish:
    """How to learn, and what the network may be like."""

    recipe: str
    effort: str
    scoring: str
    max_edges: int | None
    max_rules: int | None
    max_rule_length: int | None


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of the learner, as they were written."""

    polish: Polish
    layers: str
    rate: str
    negation: bool | None
    max_epochs: int
    max_categories: int
    seed: int
    n_jobs: int
    device: str


def classifier(settings: Settings, kinds: Mapping[str, Told]) -> ConceptRuleClassifier:
    """The estimator that the options describe; most of their ranges are checked by its `fit`, before training."""
    from conceptrules.estimator import ConceptRuleClassifier

    layers, rate, seed = settings.layers, settings.rate, settings.seed
    if not 0 <= seed < 2**32:
        raise InputError(f"--seed {seed} is out of range: from 0 to {2**32 - 1}")
    return ConceptRuleClassifier(
        **asdict(settings.polish),
        layers=layers if layers == "auto" else tuple(_numbers(layers, int, "--layers", "64,64,64")),
        binarization_rate=rate if rate == "auto" else _numbers(rate, float, "--rate", "0.8,0.9"),
        negation="auto" if settings.negation is None else settings.negation,
        max_epochs=settings.max_epochs,
        max_categories=settings.max_categories,
        kinds=dict(kinds) or None,
        random_state=seed,
        n_jobs=settings.n_jobs,
        device=settings.device,
    )


def _numbers(text: str, number: Callable[[str], T], option: str, example: str) -> list[T]:
    try:
        return [number(part) for part in text.split(",")]
    except ValueError:
        raise InputError(
            f"{option} {text!r} is neither auto nor numbers separated by commas, such as {example}"
        ) from None
