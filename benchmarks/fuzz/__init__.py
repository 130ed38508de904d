"""Damaged model files: `python -m benchmarks.fuzz`."""
