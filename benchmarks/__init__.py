"""Measurements. The paper's data sets are used where they are: in $CONCEPTRULES_DATA, or beside the repository."""

import os
from pathlib import Path

_BESIDE = Path(__file__).parents[2] / "shared" / "data"
if _BESIDE.is_dir():
    os.environ.setdefault("CONCEPTRULES_DATA", str(_BESIDE))
