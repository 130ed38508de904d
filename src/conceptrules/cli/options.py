"""The arguments and options of the commands, with their help; those that several commands take have a name here."""

from __future__ import annotations

from typing import Annotated

import typer

TABLE = "CSV, TSV (also .gz) or Parquet; - for CSV on standard input."
Data = Annotated[str, typer.Argument(help=TABLE, show_default=False)]
Files = Annotated[
    list[str],
    typer.Argument(
        help="CSV, TSV (also .gz) or Parquet: a file, several, a pattern such as 'part-*.parquet', or a folder "
        "of Parquet files; - for CSV on standard input.",
        show_default=False,
    ),
]
Model = Annotated[str, typer.Argument(help="A model file that fit wrote; - for standard input.", show_default=False)]
Out = Annotated[str, typer.Option("--output", "-o", help="A .csv or .parquet file; - for CSV on standard output.")]
Delimiter = Annotated[
    str,
    typer.Option(help="What stands between the fields of a text: ; or tab.", show_default="comma, in .tsv tab"),
]
MissingWords = Annotated[
    str,
    typer.Option("--missing", help="Words that mean missing besides the empty field: NA,?,-", show_default=False),
]
DateParts = Annotated[
    bool,
    typer.Option(
        "--date-parts",
        help="Learn from the month, weekday and hour of dates and the days between them, instead of the dates.",
    ),
]
DateOrder = Annotated[
    str,
    typer.Option("--dates", help="How to read dates such as 3/4/2024: day-first or month-first.", show_default=False),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Target = Annotated[str, typer.Option("--target", "-t", help="The column to predict.", show_default=False)]
Bins = Annotated[
    int,
    typer.Option(help="Predict in which of so many ranges the target is, where it is a quantity.", show_default=False),
]
Drop = Annotated[
    list[str],
    typer.Option(
        default_factory=list,
        show_default=False,
        help="A column to leave out; repeat the option, or separate names by commas.",
    ),
]
Only = Annotated[
    list[str],
    typer.Option(
        default_factory=list,
        show_default=False,
        help="A column to learn from; all that are not named are left out. Repeat it, or use commas.",
    ),
]
Kinds = Annotated[
    list[str],
    typer.Option(
        "--kind",
        default_factory=list,
        show_default=False,
        help="The kind of a column, if the guess is wrong: zip=category. Or the order of its categories: 'size=S<M<L'. "
        "Repeat it for more columns.",
    ),
]
Called = Annotated[
    list[str],
    typer.Option(
        "--column",
        default_factory=list,
        show_default=False,
        help="SQL: what the table calls a column, as model name=table name. Repeat it for more columns.",
    ),
]
Stored = Annotated[
    list[str],
    typer.Option(
        "--type",
        default_factory=list,
        show_default=False,
        help="SQL: what the table holds in a column, if its kind does not say it: smoker=boolean. Only BigQuery and "
        "Snowflake need it.",
    ),
]
Keep = Annotated[
    list[str],
    typer.Option(default_factory=list, show_default=False, help="SQL: a further column of the table to give back."),
]
Groups = Annotated[
    str,
    typer.Option(
        help="A column that says which rows belong together, such as those of a patient: they are held out together. "
        "It is not learned from.",
        show_default=False,
    ),
]
Time = Annotated[
    str,
    typer.Option(
        help="A column of dates or numbers: the newest rows are held out. It is not learned from.", show_default=False
    ),
]
Scratch = Annotated[
    str,
    typer.Option(
        help="The folder for what does not fit into memory, of large tables; it is removed at the end.",
        show_default="the usual one for temporary files",
    ),
]
CheckpointFile = Annotated[
    str,
    typer.Option(
        "--checkpoint",
        help="A file to keep what is finished: started again after a kill, fit goes on from it. Removed at the end.",
        show_default=False,
    ),
]
Method = Annotated[str, typer.Option(help="How to learn: search, or mllp, the method of the paper.")]
Effort = Annotated[
    str | None, typer.Option(help="search: how hard to try: fast, default or best.", show_default="default")
]
Scoring = Annotated[
    str | None,
    typer.Option(
        help="search: what to optimise: f1_macro, accuracy, balanced_accuracy or neg_log_loss.",
        show_default="f1_macro",
    ),
]
MaxEdges = Annotated[int | None, typer.Option(help="search: the most edges of the network.", show_default=False)]
MaxRules = Annotated[int | None, typer.Option(help="search: the most rules of the network.", show_default=False)]
MaxRuleLength = Annotated[int | None, typer.Option(help="search: the most literals of a rule.", show_default=False)]
MinRows = Annotated[int | None, typer.Option(help="search: the least rows that every rule covers.", show_default=False)]
PolicyFile = Annotated[
    str | None,
    typer.Option("--policy", help="search: a policy file (TOML) that every network satisfies.", show_default=False),
]
Layers = Annotated[
    str | None,
    typer.Option(
        help="mllp: sizes of the middle layers, an odd number of them: auto, 64 or 64,64,64.", show_default="auto"
    ),
]
Rate = Annotated[
    str | None,
    typer.Option(help="mllp: binarization rate, or several to choose from: auto or 0.8,0.9.", show_default="auto"),
]
Negation = Annotated[
    bool | None,
    typer.Option(
        "--negation/--no-negation",
        help="Let rules say NOT, or never. By default, those of search may, those of mllp never do.",
        show_default=False,
    ),
]
MaxEpochs = Annotated[int | None, typer.Option(help="mllp: the longest that training may take.", show_default="400")]
MaxCategories = Annotated[int, typer.Option(help="How many categories of a column are kept, the most frequent ones.")]
Seed = Annotated[int, typer.Option(help="Same seed, same data: same rules.")]
Jobs = Annotated[int, typer.Option("--n-jobs", help="Cores to use, -1 for all; the result does not depend on it.")]
Device = Annotated[
    str | None,
    typer.Option(
        help="mllp: where to train: auto, cpu, cuda (all GPUs) or one of them, such as cuda:0. search: where tables of "
        "more than 100,000 rows are gone over: cpu or a GPU.",
        show_default="mllp: auto, search: cpu",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no summary.")]
