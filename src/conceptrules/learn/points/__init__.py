"""Scorecards: rules with whole-number points, learned by steps of Newton's method from sums over rows in bins."""
