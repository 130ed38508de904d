"""The smallest network that decides alike: rules as cubes over cells of columns, made fewer and shorter.

`variables` and `cubes` say what a rule is here, `layers` turns levels into cubes and back and takes levels and
concepts away, `cover_reduction` and `exact_cover` make the cover of one concept smaller, and `minimiser` puts it
together.
"""

from conceptrules.logic.minimisation.minimiser import minimise

__all__ = ["minimise"]
