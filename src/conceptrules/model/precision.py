"""How sure a precision is: a rule that is right on 4 of 4 rows is not as good as one that is right on 400 of 400."""

from __future__ import annotations

from math import ceil, floor, sqrt

_Z = 1.959963984540054  # 95 % of a normal distribution are within so many standard deviations
Ends = tuple[float, float]


def wilson_interval(right: float, rows: float, deviations: float = _Z) -> Ends | None:
    """Return the Wilson interval of a share, `right` of `rows`, by default of 95 %; None where there are no rows.

    It says how far chance alone can have moved the share, with rows drawn at random. It does not know that a rule was
    chosen because it does well on these very rows.

    >>> low, high = wilson_interval(4, 4)
    >>> round(low, 2), round(high, 2)
    (0.51, 1.0)
    """
    if not rows:
        return None
    share, spread = right / rows, deviations * deviations / rows
    centre, width = share + spread / 2, sqrt(spread * (share * (1 - share) + spread / 4))
    return max(0.0, (centre - width) / (1 + spread)), min(1.0, (centre + width) / (1 + spread))


def interval_text(ends: Ends | None) -> str:
    """Return an interval in whole per cent, rounded outwards; empty where there is none.

    >>> interval_text(wilson_interval(25, 30))
    '[66-93%]'
    """
    return "" if ends is None else f"[{floor(100 * ends[0])}-{ceil(100 * ends[1])}%]"
