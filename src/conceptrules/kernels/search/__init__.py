"""The compiled loops of the search on binned columns: scores, coverage, histograms of gains, and local search."""
