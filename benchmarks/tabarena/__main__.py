"""Run our scorecards on TabArena, and compare them with its leaderboard. It fetches its tables and results.

python -m benchmarks.tabarena               the first split of each table, default settings
python -m benchmarks.tabarena --configs 25  and with so many settings besides, as TabArena asks of an entry
python -m benchmarks.tabarena --subset all  all splits
"""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path

from benchmarks.tabarena.model import ScorecardModel


def main() -> None:
    """Fit what is missing, and print the leaderboard."""
    parser = ArgumentParser("python -m benchmarks.tabarena", None, __doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--configs", type=int, default=0, metavar="N", help="settings beside the default ones (0)")
    parser.add_argument("--subset", default="lite", help="lite: the first split of each table (lite)")
    parser.add_argument("--out", type=Path, default=Path("build/arena"), help="where runs are kept (build/tabarena)")
    options = parser.parse_args()
    from tabarena.benchmark.experiment import TabArenaV0pt1ExperimentBundle
    from tabarena.contexts import TabArenaContext

    models = [(ScorecardModel.config_generator(), options.configs)]
    experiments = TabArenaV0pt1ExperimentBundle(models=models).build_experiments()
    context = TabArenaContext()
    subset = {} if options.subset == "all" else {"subset": options.subset}
    context.build_and_run_jobs(
        experiments, expname=str(options.out / "runs"), new_result_prefix="[conceptrules] ", **subset
    )
    leaderboard = context.compare(output_dir=options.out / "leaderboard")
    print(context.leaderboard_to_website_format(leaderboard=leaderboard).to_markdown(index=False))


if __name__ == "__main__":
    main()
