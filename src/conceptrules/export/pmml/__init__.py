"""The export to PMML: raw columns in; label, scores, probabilities and fired rules out."""
