"""The digests of the learners: what changes them, and that those on record are those of the present code."""

from __future__ import annotations

import json

import pytest

from benchmarks import digest


def test_the_digests_on_record_are_those_of_the_present_code() -> None:
    known = json.loads(digest.FILE.read_text(encoding="utf-8"))
    if known["environment"] != digest.environment():
        pytest.skip("needs the processor and the versions of the digests on record, which may round differently")
    digests = {name: digest.learner(name) for name in known["learners"]}
    assert digests == known["learners"], "the learner has changed: run `make results`"


def test_another_network_gives_another_digest_of_its_learner_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digest, "_FITS", {"search": lambda: iter(["a", "b"]), "mllp": lambda: iter(["a", "b"])})
    before = [digest.learner.__wrapped__(name) for name in ("search", "mllp")]
    monkeypatch.setattr(digest, "_FITS", {"search": lambda: iter(["a", "c"]), "mllp": lambda: iter(["a", "b"])})
    after = [digest.learner.__wrapped__(name) for name in ("search", "mllp")]
    assert [old == new for old, new in zip(before, after, strict=True)] == [False, True]
    assert before[0].split()[0] == "search"


def test_a_machine_without_numba_takes_the_digest_on_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digest, "find_spec", lambda name: None)
    assert digest.learner.__wrapped__("mllp") == digest.current()["mllp"]


def test_a_notice_is_about_records_without_the_digest_of_a_present_learner() -> None:
    present = {"learner": digest.current()["search"]}
    assert digest.notice([]) == ""
    assert digest.notice([present]) == ""
    earlier = digest.notice([{"f1": 0.5}, {"learner": "search 0000000000"}])
    assert earlier.startswith("These figures were measured with an earlier version of the learner")
    assert digest.notice([present, {"f1": 0.5}], "our figures").startswith("Some of our figures were measured")
