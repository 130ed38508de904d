"""Run one of the measurements of this folder: `python -m benchmarks.scale [backends]`, or `disk 1000000`."""

from __future__ import annotations

import sys
from importlib import import_module

name, *given = sys.argv[1:] or ["backends"]
import_module(f"benchmarks.scale.{name}").main(*given)
