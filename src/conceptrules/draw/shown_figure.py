"""A figure that a notebook shows."""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure


class ShownFigure(Figure):
    """A figure of matplotlib that notebooks show as it is; else they do so only once `matplotlib.pyplot` is loaded."""

    def _repr_png_(self) -> bytes:
        picture = BytesIO()
        self.savefig(picture, format="png")
        return picture.getvalue()
