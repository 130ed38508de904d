"""The memory that there is, and fits that would need more."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from conceptrules import ConceptRuleClassifier, InputError, MLLPClassifier
from conceptrules.learn import memory
from conceptrules.learn.memory import estimate_search_bytes, find_free_memory

MACHINE = {"proc/meminfo": "MemTotal: 9000 kB\nMemAvailable: 8000 kB\n"}
MODERN = {
    "proc/self/cgroup": "0::/jobs/mine\n",
    "sys/fs/cgroup/jobs/mine/memory.max": "max\n",
    "sys/fs/cgroup/jobs/mine/memory.current": "100\n",
    "sys/fs/cgroup/jobs/memory.max": "5000\n",
    "sys/fs/cgroup/jobs/memory.current": "2000\n",
    "sys/fs/cgroup/jobs/memory.stat": "anon 1\ninactive_file 300\n",
}
OLD = {
    "proc/self/cgroup": "4:memory:/\n3:cpu:/\n",
    "sys/fs/cgroup/memory/memory.limit_in_bytes": "4000\n",
    "sys/fs/cgroup/memory/memory.usage_in_bytes": "1000\n",
    "sys/fs/cgroup/memory/memory.stat": "inactive_file 5\ntotal_inactive_file 7\n",
}


@pytest.mark.parametrize(
    ("files", "free"), [(MACHINE, 8000 * 1024), (MACHINE | MODERN, 3300), (MACHINE | OLD, 3007), (MODERN, 3300)]
)
def test_the_least_of_the_machine_and_its_control_groups_is_free(
    tmp_path: Path, files: dict[str, str], free: int
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert find_free_memory(tmp_path) == free


def test_something_is_free_here() -> None:
    found = find_free_memory()
    assert found is None or found > 0


@pytest.mark.parametrize("made", [ConceptRuleClassifier(), MLLPClassifier(max_epochs=1)])
def test_a_fit_that_needs_more_is_refused_with_the_figure_and_the_way_out(
    made: ConceptRuleClassifier | MLLPClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "find_free_memory", lambda: 20_000)
    X, y = np.arange(2000.0).reshape(500, 4), [0, 1] * 250
    with pytest.raises(
        InputError, match=r"learning from 500 rows, .* needs about .* MB of memory, but 0.0 MB are free"
    ):
        made.fit(X, y)


def test_the_sample_that_is_proposed_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "find_free_memory", lambda: 20_000)
    with pytest.raises(InputError, match="a sample of at most 50 rows"):
        memory.check_memory(40_000, 100, "4 columns", "from fewer columns")


@pytest.mark.parametrize("what", ["rows", "mixed", "columns", "classes", "folds", "threads"])
def test_more_of_anything_needs_more(what: str) -> None:
    usual = {"rows": 1000, "mixed": 100, "columns": 10, "classes": 2, "folds": 1, "threads": 1}
    assert estimate_search_bytes(**usual | {what: 2 * usual[what]}) > estimate_search_bytes(**usual)
