"""Cards of predicates, one for each column, in stacks, with a wire for each predicate on the right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from conceptrules.draw.appearance import shorten, text_width
from conceptrules.draw.graph import Node
from conceptrules.draw.node_order import group_by_column

TEXT = 12.0
WORDS = 28
"""The letters of a predicate or name that are shown; the rest is in the tooltip."""
ROW, HEAD, GAP = 21.0, 22.0, 12.0
"""The heights of a predicate, of the name of a column, and between cards."""
_WIRE = 5.0  # from one to the next
_BESIDE = 22.0  # between stacks


@dataclass(frozen=True, slots=True)
class CardStack:
    """Cards above each other. Their wires are on the right, the topmost predicate's first."""

    x: float
    cards: tuple[tuple[Node, ...], ...]

    @property
    def card_width(self) -> float:
        """Return the width that the longest text needs."""
        texts = [row_text(node) for card in self.cards for node in card]
        heads = [text_width(heading(card), TEXT) * 1.08 for card in self.cards]  # in bold
        return max([*(text_width(text, TEXT) for text in texts), *heads]) + 20

    @property
    def width(self) -> float:
        return self.card_width + _WIRE * (sum(map(len, self.cards)) + 1)

    @property
    def height(self) -> float:
        return sum(HEAD + ROW * len(card) for card in self.cards) + GAP * (len(self.cards) - 1)

    def headings(self) -> Iterator[tuple[Sequence[Node], float]]:
        """Yield each card and how far down it begins."""
        y = 0.0
        for card in self.cards:
            yield card, y
            y += HEAD + ROW * len(card) + GAP

    def rows(self) -> Iterator[tuple[Node, float]]:
        """Yield each predicate and how far down it is."""
        for card, y in self.headings():
            yield from ((node, y + HEAD + ROW * number) for number, node in enumerate(card))

    def ports(self) -> Iterator[tuple[str, float]]:
        """Yield each predicate and where its wire comes out on top."""
        for number, (node, _) in enumerate(self.rows(), start=1):
            yield node.id, self.x + self.card_width + _WIRE * number


def row_text(node: Node) -> str:
    """Return the text of a predicate on its card."""
    return shorten(node.text, WORDS)


def heading(card: Sequence[Node]) -> str:
    """Return the name of the column of a card."""
    title = card[0].title
    return "other columns" if title is None else shorten(title, WORDS)


def stack_cards(predicates: Sequence[Node], wide: float) -> list[CardStack]:
    """Return as many stacks as fit into the width, and more where the drawing would be too high for its width."""
    cards = [tuple(block) for block in group_by_column(predicates)]
    stacks: list[CardStack] = []
    for count in range(1, len(cards) + 1):
        more = _place_stacks(_split_evenly(cards, count), wide)
        low = bool(stacks) and max(stack.height for stack in stacks) <= 0.36 * max(wide, right_end(stacks))
        if low and right_end(more) > wide:
            break
        stacks = more
    return stacks


def right_end(stacks: Sequence[CardStack]) -> float:
    """Return where the last stack ends."""
    return max((stack.x + stack.width for stack in stacks), default=0.0)


def _split_evenly(cards: Sequence[tuple[Node, ...]], count: int) -> list[list[tuple[Node, ...]]]:
    """Return the cards in at most `count` runs of about the same height."""
    heights = [HEAD + GAP + ROW * len(card) for card in cards]
    total, so_far = sum(heights), [0.0, *accumulate(heights)]
    runs: dict[int, list[tuple[Node, ...]]] = {}
    for card, start, height in zip(cards, so_far[:-1], heights, strict=True):
        runs.setdefault(min(int((start + height / 2) / total * count), count - 1), []).append(card)
    return list(runs.values())


def _place_stacks(runs: Sequence[Sequence[tuple[Node, ...]]], wide: float) -> list[CardStack]:
    """Return the runs as stacks, next to each other or, where that is more, spread evenly over the width."""
    widths = [CardStack(0, tuple(run)).width for run in runs]
    gap = max(_BESIDE, (wide - sum(widths)) / len(runs))
    starts = accumulate((size + gap for size in widths), initial=gap / 2 if gap > _BESIDE else 0.0)
    return [CardStack(x, tuple(run)) for x, run in zip(starts, runs, strict=False)]
