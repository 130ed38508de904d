"""Settings of all tests."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

import benchmarks  # noqa: F401  # says where the paper's data sets are

# Without this, set before SciPy is imported, scikit-learn's check_estimator skips its check of array inputs.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
# No time limits: the first call of a kernel compiles it, and machines are busy.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the pages of the documentation, which take longest: at the end one worker would wait for the other."""
    items.sort(key=lambda item: "test_docs.py" not in item.nodeid)
