"""`python -m tests.soak NAME --minutes N` runs one attack; `--start K` draws others than an earlier run did."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules


def main() -> None:
    """Run the attack that the command line names."""
    names = [module.name for module in iter_modules([str(Path(__file__).parent)])]
    attacks = sorted(name for name in names if name != "__main__" and not name.startswith(("_", "test_")))
    parser = argparse.ArgumentParser(
        prog="python -m tests.soak", description="Attack the package, and print what held."
    )
    parser.add_argument("attack", choices=attacks)
    parser.add_argument("--minutes", type=float, default=10, help="about how long to go on (default: 10)")
    parser.add_argument("--start", type=int, default=0, help="what is drawn first; goes on after an earlier run")
    chosen = parser.parse_args()
    import_module(f"tests.soak.{chosen.attack}").main(chosen.minutes, chosen.start)


if __name__ == "__main__":
    main()
