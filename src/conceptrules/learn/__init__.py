"""Bits to weights to a network: examples, descent, extraction, who wins."""
