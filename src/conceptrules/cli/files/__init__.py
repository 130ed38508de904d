"""The files that commands read and write: names, tables, models."""
