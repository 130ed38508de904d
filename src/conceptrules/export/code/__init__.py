"""The exports to programming languages."""
