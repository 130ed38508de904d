"""Figures about the package, each set of them printed by one command."""
