"""The suite: 39 public tables, five folds, our estimators beside CART, LightGBM, EBM and a forest.

| file | what is in it |
|---|---|
| `suite.py` | the tables, found by the manifests of their folders, and the five folds |
| `models.py` | what is compared: how each model takes a table, and how many edges it has |
| `runs.py` | what is missing is run and kept, a line for each table, fold, model and seed |
| `summary.py` | the records as one cell for each table and model, and the figures that are wanted |
| `page.py`, `plots.py` | RESULTS.md and its two pictures, from the records alone |

Whatever is tuned is tuned on inner folds of these tables; the five folds here are only looked at.
"""
