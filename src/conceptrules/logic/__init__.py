"""What can be decided about networks for all rows: simplification, minimisation, equivalence, differences."""
