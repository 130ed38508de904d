"""Decision tables: spreadsheets that people edit and that are read back, DMN in and out, and GoRules JDM."""

from conceptrules.export.tables.read_dmn import read_dmn
from conceptrules.export.tables.spreadsheet import read_xlsx

__all__ = ["read_dmn", "read_xlsx"]
