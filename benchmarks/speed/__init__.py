"""Every claim about speed is a ratio, measured side by side in one process: `python -m benchmarks.speed`.

| file | what is measured, and against what |
|---|---|
| `training.py` | an epoch against the paper's formula in PyTorch (`dense.py`); a cohort, two threads against one |
| `recipe.py` | the paper's recipe on adult, everything included, against LightGBM's default fit |
| `startup.py` | the first fit of a process, and `import conceptrules` against `import sklearn` |
| `prediction.py` | a million rows against LightGBM and a tree; rules on ready bits against reading the bits |
| `single.py` | one row against a tree on one row |
| `binarization.py` | cut points against `numpy.argsort`, bits against `numpy.searchsorted` |
| `growth.py`, `memory.py` | the exponent in rows, cost against literals and width; memory of a fit |

`measure.py` takes the times, `tables.py` makes the rows, `models.py` what predicts, `engine.py` calls the trainer;
`report.py` and `plot.py` keep and show what came out.
"""
