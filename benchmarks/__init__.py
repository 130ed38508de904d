"""Measurements. Tables are used where they are: in the folders of $CONCEPTRULES_DATA, or beside the repository."""

import os
from pathlib import Path

_SHARED = Path(__file__).parents[2] / "shared"
_BESIDE = [str(folder) for folder in (_SHARED / "data", _SHARED / "data-more") if folder.is_dir()]
if _BESIDE:
    os.environ.setdefault("CONCEPTRULES_DATA", os.pathsep.join(_BESIDE))
