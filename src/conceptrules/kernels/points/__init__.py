"""The compiled passes of scorecards over binned rows: sums of slopes and curvatures, and the best conditions."""
