"""What goes wrong through input rather than through a bug of ours.

The command line shows these as one line; anything else is a bug and shows its traceback.
"""


class ConceptRulesError(Exception):
    """Base of the errors that a user can mend; the message says how."""


class InputError(ConceptRulesError, ValueError):
    """A value that does not fit: a wrong name, range, file or table."""


class ColumnTypeError(ConceptRulesError, TypeError):
    """A column whose values have the wrong type."""
