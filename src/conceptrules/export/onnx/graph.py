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
        name = name or f"{OWN}{kind}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(given), [name], **attributes))
        return name

    def constant(self, values: NDArray[Any]) -> str:
        name = f"{OWN}constant_{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(values, name))
        return name

    def bits(self, name: str) -> str:
        return self.node("Cast", [name], to=self.onnx.TensorProto.FLOAT)


def utf8(text: Value) -> str:
    try:
        str(text).encode()
    except UnicodeEncodeError:
        raise InputError(f"{text!r} is not valid Unicode, which ONNX needs; train with other text") from None
    return str(text)


def package() -> Any:
    try:
        import onnx
        import onnx.checker
        import onnx.numpy_helper
    except ImportError:
        raise InputError("to write ONNX takes the package onnx: pip install 'conceptrules[onnx]'") from None
    return onnx
