"""Who wins where several classes fire, and who where none does: local search on the decisions of a draft."""

from __future__ import annotations

from conceptrules.learn.search.mutable_network import Draft

_HELPS = 1e-12  # sums of the same numbers in another order differ by less


def polish_winners(draft: Draft) -> None:
    """Neighbours change places, and another default is taken, while the score rises."""
    fired, best = draft.fired, draft.score()
    while True:
        before = best
        for place in range(len(draft.order) - 1):
            _swap(draft.order, place)
            if (now := draft.score(fired)) > best + _HELPS:
                best = now
            else:
                _swap(draft.order, place)
        kept = draft.default
        for c in range(draft.rows.classes):
            draft.default = c
            if (now := draft.score(fired)) > best + _HELPS:
                best, kept = now, c
        draft.default = kept
        if best == before:
            return


def _swap(order: list[int], place: int) -> None:
    order[place], order[place + 1] = order[place + 1], order[place]
