"""The smallest network that decides alike: rules as cubes over cells of columns, made fewer and shorter.

`cell_masks` and `cubes` say what a rule is here, `covers` turns levels into cubes and back, `cover_reduction` and
`exact_cover` make the cover of one concept smaller, `collapse` takes levels and concepts away, `witnesses` answer most
questions without a proof, and `minimiser` puts it together.
"""

from conceptrules.logic.minimisation.minimiser import minimise

__all__ = ["minimise"]
