"""Any common kind of table in; columns, codes and bits out. Each cell is read once."""
