"""Tables to try things on: three that are always there, and the paper's twelve from files."""

from conceptrules.datasets.loading import Dataset, DatasetError, find, load, names

__all__ = ["Dataset", "DatasetError", "find", "load", "names"]
