"""Attacks on the whole package, which go on for as long as one likes: `python -m tests.soak kill --minutes 10`.

Each attack is a module with a function `main(minutes)`, which prints what was tried and what held, and raises where
something did not hold. `make test` runs a short form of each, in test_*.py beside them.
"""
