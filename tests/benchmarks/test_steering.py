"""The page on steering shows what the records say."""

from benchmarks import jsonl
from benchmarks.steering import RECORD, page
from tests.test_docs import ROOT


def test_the_table_of_the_page_is_that_of_the_records():
    entries = jsonl.read(RECORD)
    assert page(entries) in (ROOT / "docs" / "steering.md").read_text(encoding="utf-8")
    assert all(one["proved"] for one in entries if "proved" in one)
