from __future__ import annotations

import pytest

pytest.importorskip("openpyxl")

from tests.soak.decision_tables import attack


def test_networks_come_back_from_tables() -> None:
    assert attack(0, 15) > 5
