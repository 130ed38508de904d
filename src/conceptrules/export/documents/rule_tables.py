"""The rules of a network as tables for people: what Markdown and LaTeX draw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conceptrules.export.node_names import rule_id
from conceptrules.model.content_hash import content_hash
from conceptrules.model.network import RuleNetwork
from conceptrules.model.precision import interval_text, wilson_interval
from conceptrules.model.text import concept_name, number_text, rule_text, word


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A rule as a row of a table."""

    name: str
    text: str
    rows: str
    """How many training rows the rule covers; empty where nobody counted."""
    right: str
    """The share of them that is of the class, with its interval."""


@dataclass(frozen=True, slots=True)
class Section:
    """A class or a concept, and the rules any of which makes it hold."""

    title: str
    rules: tuple[RuleRow, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """All tables of a network."""

    introduction: tuple[str, ...]
    sections: tuple[Section, ...]
    measured: bool
    hash: str


def document(network: RuleNetwork) -> Document:
    """Return the tables, class by class in the order in which they win, then the concepts."""
    sections = (*_classes(network), *_concepts(network))
    return Document(tuple(_introduction(network)), sections, network.statistics is not None, content_hash(network))


def _introduction(network: RuleNetwork) -> Iterator[str]:
    yield "A rule holds if all its literals do; a class fires if any of its rules holds."
    if len(network.classes) > 1:
        yield f"If several classes fire, the first of these wins: {', '.join(map(word, network.priority))}."
    yield f"If none fires, the answer is {word(network.default)}."
    if network.statistics is not None:
        yield (
            "Rows are those of the training table on which the rule holds, right is the share of them of its class, "
            "with its 95 % Wilson interval."
        )


def _classes(network: RuleNetwork) -> Iterator[Section]:
    top = len(network.levels) - 1
    for index in network.priority_indices:
        name = network.classes[index]
        rules = network.levels[top].concepts[index].rules
        silent = "is the answer if none fires" if name == network.default else "never fires"
        title = f"{word(name)} if any of" if rules else f"{word(name)} {silent}"
        yield Section(title, tuple(_row(network, top, rule, index) for rule in rules))


def _concepts(network: RuleNetwork) -> Iterator[Section]:
    for level in reversed(range(len(network.levels) - 1)):
        for index, concept in enumerate(network.levels[level].concepts):
            title = (
                f"{concept_name(level, index)} means any of" if concept.rules else f"{concept_name(level, index)} never"
            )
            yield Section(title, tuple(_row(network, level, rule, None) for rule in concept.rules))


def _row(network: RuleNetwork, level: int, rule: int, right: int | None) -> RuleRow:
    counts = network.statistics.covered[level][rule] if network.statistics else ()
    share = "" if right is None or not sum(counts) else _share(counts[right], sum(counts))
    return RuleRow(f"R{rule_id(level, rule)}", rule_text(network, level, rule), _count(counts), share)


def _share(right: float, rows: float) -> str:
    return f"{right / rows:.1%} {interval_text(wilson_interval(right, rows))}"


def _count(counts: Sequence[float]) -> str:
    return number_text(float(f"{sum(counts):.6g}")) if counts else ""
