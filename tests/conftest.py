"""Settings of all tests. The paper's data sets are used where they are: in $CONCEPTRULES_DATA, or beside us."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import settings

_BESIDE = Path(__file__).parents[2] / "shared" / "data"
if _BESIDE.is_dir():
    os.environ.setdefault("CONCEPTRULES_DATA", str(_BESIDE))
# Without this, set before SciPy is imported, scikit-learn's check_estimator skips its check of array inputs.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
# No time limits: the first call of a kernel compiles it, and machines are busy.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
