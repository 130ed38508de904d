"""Compiled passes over shards of rows: sums of whole numbers, which are the same in any order."""
