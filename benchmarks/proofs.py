"""How long proofs take on the default networks of the paper's twelve tables: `python -m benchmarks.proofs [TABLE...]`.

A network is learned from the training rows of fold 0. Each clause that can be asked for is proved alone: every column
monotone (where it has an order) and independent, every rule of the network as one that implies its class, and what is
read off the rules. Each table is a line of benchmarks/records/proofs.jsonl; those that are there are not repeated.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from time import process_time
from typing import Any

from benchmarks import digest, jsonl
from benchmarks.paper.folds import paper_folds
from conceptrules import ConceptRuleClassifier, Policy, __version__, datasets
from conceptrules.model import RuleNetwork

RECORD = jsonl.RECORDS / "proofs.jsonl"
TABLES = (
    "blogger", "wine", "tic-tac-toe", "banknote", "mushroom", "nursery", "adult", "magic04", "bank-marketing", "chess",
    "letRecog", "connect-4",
)  # fmt: skip


def policies(network: RuleNetwork) -> Iterator[Policy]:
    """Yield policies of one clause each."""
    for column in network.columns:
        if column.kind != "category":
            yield Policy.of(monotone={column.name: "up"}, order=network.classes)
        yield Policy.of(independent=[column.name])
        yield Policy.of(forbidden=[column.name])
    rules = network.to_frame("pandas")
    for text, label in zip(rules["text"], rules["for"], strict=True):
        if label in network.classes:
            yield Policy.of(implies=[{"if": text, "then": label}])
    yield Policy.of(max_edges=network.edges, default=network.default, priority=list(network.priority))


def run(table: str) -> dict[str, Any]:
    """Learn a network, and prove one policy after another."""
    data = datasets.load(table)
    train, _ = next(iter(paper_folds(len(data.y))))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        network = ConceptRuleClassifier(random_state=0, n_jobs=1).fit(data.X.take(train), data.y[train]).network_
    seconds, outcomes = [], Counter[str]()
    for policy in policies(network):
        start = process_time()
        outcomes.update(verdict.outcome for verdict in network.prove(policy).verdicts)
        seconds.append(process_time() - start)
    about = {"version": __version__, digest.FIELD: digest.learner(digest.SEARCH), "edges": network.edges}
    times = {"slowest": max(seconds), "seconds": sum(seconds)}
    return {"table": table, **about, **times, **{name: outcomes[name] for name in ("proved", "refuted", "undecided")}}


def page(records: list[dict[str, Any]]) -> str:
    """Return the table of the page."""
    lines = [
        "| table | edges | proved | refuted | undecided | slowest clause, CPU seconds |",
        "|---|---|---|---|---|---|",
    ]
    for record in sorted(records, key=lambda entry: TABLES.index(entry["table"])):
        counts = " | ".join(f"{record[name]:,}" for name in ("proved", "refuted", "undecided"))
        lines.append(f"| {record['table']} | {record['edges']:,} | {counts} | {record['slowest']:.2f} |")
    return "\n".join(lines)


def main(tables: list[str]) -> None:
    """Run what is missing, and print the table."""
    for table in tables or TABLES:
        if jsonl.find(RECORD, {"table": table}) is None:
            jsonl.put(RECORD, [run(table)], ("table",))
    print(page(jsonl.read(RECORD)))


if __name__ == "__main__":
    main(sys.argv[1:])
