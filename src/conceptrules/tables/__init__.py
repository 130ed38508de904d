"""Any common kind of table in; columns, codes and bits out. Each cell is read once."""

from conceptrules.tables.date_parts import with_date_parts

__all__ = ["with_date_parts"]
