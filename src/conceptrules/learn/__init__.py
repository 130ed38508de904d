"""From a table to a network: what both learners use, the search, and the paper's method."""
