"""The model file: a network as JSON, and back.

`save` and `load` work on files, `dumps` and `loads` on text; `schema` is the JSON Schema of the model file.
"""

from conceptrules.io.decode import loads
from conceptrules.io.encode import dumps
from conceptrules.io.model_file import load, save, schema

__all__ = ["dumps", "load", "loads", "save", "schema"]
