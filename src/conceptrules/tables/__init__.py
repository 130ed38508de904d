"""Any common kind of table in; columns, codes and bits out. Each cell is read once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptrules._lazy import lazy_names

if TYPE_CHECKING:
    from conceptrules.tables.date_parts import with_date_parts
    from conceptrules.tables.spark_frames import with_predictions

__all__ = ["with_date_parts", "with_predictions"]

__getattr__, __dir__ = lazy_names(__name__, {"with_date_parts": "date_parts", "with_predictions": "spark_frames"})
