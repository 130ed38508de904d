"""Run one of the measurements of this folder: `python -m benchmarks.scale disk 1000000`."""

from __future__ import annotations

import sys
from importlib import import_module

import_module(f"benchmarks.scale.{sys.argv[1]}").main(*sys.argv[2:])
