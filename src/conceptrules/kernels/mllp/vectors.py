"""A vector of rows as a type that compiled functions hold in registers: `+ - * /`, and what the loops of cpu.py need.

Numba leaves it to LLVM to find the vectors in a loop. Where a loop reads or writes several rows, LLVM puts tests before
it that take as long as the loop, and a running product goes to memory and back at every weight. Written with vectors
there is nothing to find. LLVM splits each into as many registers as the machine needs.

Every operation is rounded as it is written, and sums are added in the order written here. With leave to reorder them,
LLVM makes other choices in each function that a loop is compiled into: one thread and two would get other last bits.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

# Rows in a vector. With AVX-512, 16 take 1.11 of the time of 32 for an epoch of adult, and 64 take 0.96: but then the
# loops need more registers than other machines have.
LANES = 32
_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, LANES)


class VectorType(types.Type):
    def __init__(self) -> None:
        super().__init__(name=f"float32x{LANES}")


VECTOR = VectorType()
# Its own type speaks of what emits a function, not of what calls it.
_emitted: Callable[[Callable[..., Any]], Any] = intrinsic


@register_model(VectorType)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def _spread(builder: Any, number: Any) -> Any:
    """A vector as it is, a number in all places of one."""
    if isinstance(number.type, ir.VectorType):
        return number
    one = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))


def _operator(symbol: Any, instruction: str) -> None:
    """A sign between two vectors, or a vector and a float32."""

    @type_callable(symbol)
    def typed(context: Any) -> Any:
        def typer(a: Any, b: Any) -> Any:
            operands = {a, b}
            return VECTOR if VECTOR in operands and operands <= {VECTOR, types.float32} else None

        return typer

    def lowered(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return getattr(builder, instruction)(*(_spread(builder, value) for value in values))

    for kinds in ((VectorType, VectorType), (types.Float, VectorType), (VectorType, types.Float)):
        lower_builtin(symbol, *kinds)(lowered)


for _symbol, _instruction in (
    (operator.add, "fadd"),
    (operator.iadd, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.imul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _operator(_symbol, _instruction)


@_emitted
def spread(typing: Any, number: Any) -> Any:
    """A vector of one number."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _spread(builder, values[0])

    return VECTOR(types.float32), emit


@_emitted
def times_plus(typing: Any, factor: Any, vector: Any, addend: Any) -> Any:
    """`factor * vector + addend`, rounded once where the machine can: said here, as LLVM is not to choose by itself."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _times_plus(builder, *(_spread(builder, value) for value in values))

    return VECTOR(factor, VECTOR, addend), emit


@_emitted
def one_minus(typing: Any, weight: Any, vector: Any) -> Any:
    """`1 - weight * vector`, rounded once where the machine can."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        weight, vector = values
        # The sign is that of the vector: an instruction changes it by the way, while that of a weight costs one more.
        return _times_plus(builder, _spread(builder, weight), builder.fneg(vector), ir.Constant(_VECTOR, [1.0] * LANES))

    return VECTOR(types.float32, VECTOR), emit


@_emitted
def load(typing: Any, array: Any, part: Any, node: Any) -> Any:
    """`array[part, node]`, of an array whose last axis is as long as a vector."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.load(_pointer(context, builder, array, values), align=4)

    return VECTOR(array, types.intp, types.intp), emit


@_emitted
def store(typing: Any, array: Any, part: Any, node: Any, vector: Any) -> Any:
    """`array[part, node] = vector`."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        builder.store(values[3], _pointer(context, builder, array, values), align=4)
        return context.get_dummy_value()

    return types.none(array, types.intp, types.intp, VECTOR), emit


@_emitted
def where_equal(typing: Any, tested: Any, number: Any, then: Any, otherwise: Any) -> Any:
    """In each place `then` if `tested` is the number there, else `otherwise`."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        tested, number, then, otherwise = (_spread(builder, value) for value in values)
        return builder.select(builder.fcmp_ordered("==", tested, number), then, otherwise)

    return VECTOR(VECTOR, types.float32, then, otherwise), emit


@_emitted
def any_below(typing: Any, tested: Any, number: Any) -> Any:
    """Whether any place is below the number."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _any(builder, builder.fcmp_ordered("<", values[0], _spread(builder, values[1])))

    return types.boolean(VECTOR, types.float32), emit


@_emitted
def any_set(typing: Any, tested: Any) -> Any:
    """Whether any place is other than 0."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        zeros = ir.Constant(_VECTOR, [0.0] * LANES)
        return _any(builder, builder.fcmp_unordered("!=", values[0], zeros))

    return types.boolean(VECTOR), emit


@_emitted
def total(typing: Any, vector: Any) -> Any:
    """The sum of all places, by halves."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        sums, places = values[0], LANES
        while places > 1:
            places //= 2
            sums = builder.fadd(*(_some(builder, sums, start, places) for start in (0, places)))
        return builder.extract_element(sums, ir.Constant(ir.IntType(32), 0))

    return types.float32(VECTOR), emit


def _pointer(context: Any, builder: Any, array: Any, values: Any) -> Any:
    data = context.make_array(array)(context, builder, values[0])
    places = [*values[1:3], ir.Constant(ir.IntType(64), 0)]
    pointer = cgutils.get_item_pointer(context, builder, array, data, places, wraparound=False)
    return builder.bitcast(pointer, _VECTOR.as_pointer())


def _times_plus(builder: Any, *vectors: Any) -> Any:
    kind = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
    fused = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fmuladd.v{LANES}f32")
    return builder.call(fused, vectors)


def _some(builder: Any, vector: Any, start: int, count: int) -> Any:
    """So many places of a vector, from `start` on."""
    places = ir.Constant(ir.VectorType(ir.IntType(32), count), list(range(start, start + count)))
    return builder.shuffle_vector(vector, vector, places)


def _any(builder: Any, flags: Any) -> Any:
    bits = ir.IntType(LANES)
    return builder.icmp_unsigned("!=", builder.bitcast(flags, bits), ir.Constant(bits, 0))
