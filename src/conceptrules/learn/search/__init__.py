"""The default learner: a search for networks on the bins of the columns."""
