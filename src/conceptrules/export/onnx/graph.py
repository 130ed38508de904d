"""An ONNX graph under construction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from conceptrules.export.column_names import OWN
from conceptrules.model.errors import InputError
from conceptrules.model.predicate import Value


@dataclass(slots=True)
class Graph:
    """The nodes and constants of a graph under construction."""

    onnx: Any
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def node(self, kind: str, given: Sequence[str], name: str = "", **attributes: Any) -> str:
        """Add a node, and return the name of its output."""
        name = name or f"{OWN}{kind}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(given), [name], **attributes))
        return name

    def constant(self, values: NDArray[Any]) -> str:
        """Add a constant, and return its name."""
        name = f"{OWN}constant_{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(values, name))
        return name

    def bits(self, name: str) -> str:
        """Return booleans as 0 and 1."""
        return self.node("Cast", [name], to=self.onnx.TensorProto.FLOAT)


def utf8(text: Value) -> str:
    """Return the text, or raise if ONNX cannot hold it."""
    try:
        str(text).encode()
    except UnicodeEncodeError:
        raise InputError(f"{text!r} is not valid Unicode, which ONNX needs; train with other text") from None
    return str(text)


def package() -> Any:
    """Return the package onnx, or raise an error that says how to install it."""
    try:
        import onnx
        import onnx.checker
        import onnx.numpy_helper
    except ImportError:
        raise InputError("to write ONNX takes the package onnx: pip install 'conceptrules[onnx]'") from None
    return onnx
