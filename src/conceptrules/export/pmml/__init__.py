"""The export to PMML."""
