"""Cards of predicates, one a column, stacked into towers, with a wire for each predicate on the right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from conceptrules.draw.escape import shortened, width
from conceptrules.draw.graph import Node
from conceptrules.draw.node_order import blocks_of
from conceptrules.model.text import word

TEXT = 12.0
WORDS = 28
"""Letters of a predicate or name; the rest is in the tooltip."""
ROW, HEAD, GAP = 21.0, 22.0, 12.0
"""Heights: of a predicate, of the column's name, and between cards."""
_WIRE = 5.0  # from one to the next
_BESIDE = 22.0  # between towers


@dataclass(frozen=True, slots=True)
class Tower:
    """Cards above each other; their wires are on the right, the topmost predicate's first."""

    x: float
    cards: tuple[tuple[Node, ...], ...]

    @property
    def words(self) -> float:
        """The width of the cards."""
        texts = [row_text(node) for card in self.cards for node in card]
        heads = [width(heading(card), TEXT) * 1.08 for card in self.cards]  # in bold
        return max([*(width(text, TEXT) for text in texts), *heads]) + 20

    @property
    def width(self) -> float:
        return self.words + _WIRE * (sum(map(len, self.cards)) + 1)

    @property
    def height(self) -> float:
        return sum(HEAD + ROW * len(card) for card in self.cards) + GAP * (len(self.cards) - 1)

    def rows(self) -> Iterator[tuple[Node, float]]:
        """Each predicate and how far down it is."""
        y = 0.0
        for card in self.cards:
            for number, node in enumerate(card):
                yield node, y + HEAD + ROW * number
            y += HEAD + ROW * len(card) + GAP

    def ports(self) -> Iterator[tuple[str, float]]:
        """Where the wire of each predicate comes out on top."""
        for number, (node, _) in enumerate(self.rows(), start=1):
            yield node.id, self.x + self.words + _WIRE * number


def row_text(node: Node) -> str:
    return shortened(node.text, WORDS)


def heading(card: Sequence[Node]) -> str:
    column = card[0].column
    return "other columns" if column is None else shortened(word(column), WORDS)


def stacked(predicates: Sequence[Node], wide: float) -> list[Tower]:
    """As many towers as fit, and more where the drawing would be too high for its width."""
    cards = [tuple(block) for block in blocks_of(predicates)]
    towers: list[Tower] = []
    for count in range(1, len(cards) + 1):
        more = _placed(_shared(cards, count), wide)
        low = bool(towers) and max(tower.height for tower in towers) <= 0.36 * max(wide, right_end(towers))
        if low and right_end(more) > wide:
            break
        towers = more
    return towers


def right_end(towers: Sequence[Tower]) -> float:
    return max((tower.x + tower.width for tower in towers), default=0.0)


def _shared(cards: Sequence[tuple[Node, ...]], count: int) -> list[list[tuple[Node, ...]]]:
    """The cards in at most `count` runs of about the same height."""
    heights = [HEAD + GAP + ROW * len(card) for card in cards]
    total, so_far = sum(heights), [0.0, *accumulate(heights)]
    runs: dict[int, list[tuple[Node, ...]]] = {}
    for card, start, height in zip(cards, so_far[:-1], heights, strict=True):
        runs.setdefault(min(int((start + height / 2) / total * count), count - 1), []).append(card)
    return list(runs.values())


def _placed(runs: Sequence[Sequence[tuple[Node, ...]]], wide: float) -> list[Tower]:
    """Next to each other, or evenly over the width where that is more."""
    widths = [Tower(0, tuple(run)).width for run in runs]
    gap = max(_BESIDE, (wide - sum(widths)) / len(runs))
    starts = accumulate((size + gap for size in widths), initial=gap / 2 if gap > _BESIDE else 0.0)
    return [Tower(x, tuple(run)) for x, run in zip(starts, runs, strict=False)]
