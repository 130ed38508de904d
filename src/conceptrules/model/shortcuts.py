"""What a network does by methods of its own, though the code for it lives in other rooms.

These are all the imports that go against the direction of the rooms: each waits until its method is called.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from conceptrules.model.predicate import Value

if TYPE_CHECKING:
    import numpy as np

    from conceptrules.draw.svg import Svg, Theme
    from conceptrules.explain.explanation import Explanation


class Shortcuts:
    """The methods of `RuleNetwork` that predict, explain, export and draw."""

    __slots__ = ()

    def predict(self: Any, table: Any) -> np.ndarray:
        """The class of each row of a table (pandas, polars, pyarrow, NumPy, or rows as lists or dictionaries)."""
        from conceptrules.tables.prediction import predict

        return predict(self, table)

    def explain(self: Any, row: Any, fixed: Iterable[str] = (), to: Value | None = None, **limits: Any) -> Explanation:
        """Why a row gets its class, and the smallest change that would give it another one, or the class `to`.

        The columns in `fixed` stay as they are. `limit` (states to look at) and `seconds` end the search early.
        """
        from conceptrules.explain.explanation import explain

        return explain(self, row, fixed=fixed, to=to, **limits)

    def export(self: Any, to: str, *, verify: bool = False, data: Any = None, **options: Any) -> Any:
        """The network in another language: "sql", "python", "javascript", "c", "markdown", "latex", ..., as text.

        `verify` runs the export in its real engine, on rows that cover the network and on those of the table `data`,
        and objects if a class or a fired rule differs. The other options depend on the format: docs/exports.md.
        """
        from conceptrules.export import exported

        return exported(self, to, verify=verify, data=data, **options)

    def draw(self: Any, rule_set: Value | None = None, *, theme: Theme = "auto", fold: int | None = 240) -> Svg:
        """The network as a picture, or with `rule_set` only a class, or a concept (`C1.2`), as a stack of its rules.

        A notebook shows it, `.save("network.svg")` writes it (also .png and .pdf). The theme is "light", "dark" or
        the reader's. Of a network with more than `fold` edges, what covers least is folded; None folds nothing.
        """
        from conceptrules.draw.drawing import draw

        return draw(self, rule_set, theme=theme, fold=fold)

    def _repr_html_(self: Any) -> str:
        from conceptrules.draw.drawing import network_html

        return network_html(self)


def explanation_html(explanation: Explanation) -> str:
    """What a notebook shows of an explanation."""
    from conceptrules.draw.explanation_html import explanation_html as html

    return html(explanation)
