"""The compiled loops over rows of the search."""
