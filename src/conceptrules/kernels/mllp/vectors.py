"""A vector of 32 rows as a Numba type: compiled functions hold it in registers, with `+ - * /` and the functions below.

Usually Numba leaves it to LLVM to find the vectors in a loop. Where a loop reads or writes several rows, LLVM puts
overlap tests before it that take as long as the loop, and a running product goes to memory and back at every weight.
With explicit vectors there is nothing to find. LLVM splits each into as many registers as the machine needs.

Every operation is rounded as it is written, and sums are added in the order written here. If it were free to reorder
them, LLVM would choose differently in each function that a loop is inlined into, and the last bits of a network would
depend on the number of threads.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

# Rows in a vector. With AVX-512, 16 take 1.11 of the time of 32 for an epoch of adult, and 64 take 0.96: but then the
# loops need more registers than other machines have.
LANES = 32
_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_INDEX = ir.IntType(32)


class VectorType(types.Type):
    """The type of a vector, for Numba."""

    def __init__(self) -> None:
        super().__init__(name=f"float32x{LANES}")


VECTOR = VectorType()
# Numba types `intrinsic` by the function that emits the code, not by the one that compiled functions call.
_intrinsic: Callable[[Callable[..., Any]], Any] = intrinsic


@register_model(VectorType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def _broadcast(builder: Any, value: Any) -> Any:
    """Return a vector as it is, and a number in all lanes of one."""
    if isinstance(value.type, ir.VectorType):
        return value
    first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), value, ir.Constant(_INDEX, 0))
    return builder.shuffle_vector(first, first, _constant_indices([0] * LANES))


def _constant_indices(indices: Sequence[int]) -> Any:
    return ir.Constant(ir.VectorType(_INDEX, len(indices)), list(indices))


def _define_operator(symbol: Any, instruction: str) -> None:
    """Define an operator between two vectors, or between a vector and a float32."""

    @type_callable(symbol)
    def typed(context: Any) -> Any:
        def typer(a: Any, b: Any) -> Any:
            operands = {a, b}
            return VECTOR if VECTOR in operands and operands <= {VECTOR, types.float32} else None

        return typer

    def lowered(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return getattr(builder, instruction)(*(_broadcast(builder, value) for value in values))

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
    _define_operator(_symbol, _instruction)


def _vector_function(signature: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    """Turn a function that emits code into one that compiled functions can call.

    `signature` returns its type, given those of its arguments. Numbers among these are broadcast.
    """

    def decorate(emit: Callable[..., Any]) -> Any:
        def typed(typing: Any, *kinds: Any) -> Any:
            def lowered(context: Any, builder: Any, signature: Any, values: Any) -> Any:
                return emit(builder, *(_broadcast(builder, value) for value in values))

            return signature(*kinds), lowered

        return _intrinsic(wraps(emit)(typed))

    return decorate


@_vector_function(lambda number: VECTOR(types.float32))
def broadcast(builder: Any, number: Any) -> Any:
    """Return a vector with the number in all lanes."""
    return number


@_vector_function(lambda factor, vector, addend: VECTOR(factor, VECTOR, addend))
def multiply_add(builder: Any, factor: Any, vector: Any, addend: Any) -> Any:
    """Return `factor * vector + addend`, rounded once where the machine can: explicitly, as LLVM must not choose."""
    return _multiply_add(builder, factor, vector, addend)


@_vector_function(lambda weight, vector: VECTOR(types.float32, VECTOR))
def one_minus(builder: Any, weight: Any, vector: Any) -> Any:
    """Return `1 - weight * vector`, rounded once where the machine can."""
    # Negating the vector is part of the fused instruction; negating the weight would cost one more.
    return _multiply_add(builder, weight, builder.fneg(vector), ir.Constant(_VECTOR, [1.0] * LANES))


@_vector_function(lambda tested, number, then, otherwise: VECTOR(VECTOR, types.float32, then, otherwise))
def where_equal(builder: Any, tested: Any, number: Any, then: Any, otherwise: Any) -> Any:
    """Return, lane by lane, `then` where `tested` equals the number, else `otherwise`."""
    return builder.select(builder.fcmp_ordered("==", tested, number), then, otherwise)


@_vector_function(lambda tested, number: types.boolean(VECTOR, types.float32))
def any_below(builder: Any, tested: Any, number: Any) -> Any:
    """Return whether any lane is below the number."""
    return _any(builder, builder.fcmp_ordered("<", tested, number))


@_vector_function(lambda tested: types.boolean(VECTOR))
def any_nonzero(builder: Any, tested: Any) -> Any:
    """Return whether any lane is other than 0."""
    return _any(builder, builder.fcmp_unordered("!=", tested, ir.Constant(_VECTOR, [0.0] * LANES)))


@_vector_function(lambda vector: types.float32(VECTOR))
def sum_lanes(builder: Any, vector: Any) -> Any:
    """Return the sum of all lanes: the upper half is added to the lower one until a single lane is left."""
    lanes = LANES
    while lanes > 1:
        lanes //= 2
        halves = [_constant_indices(range(start, start + lanes)) for start in (0, lanes)]
        vector = builder.fadd(*(builder.shuffle_vector(vector, vector, half) for half in halves))
    return builder.extract_element(vector, ir.Constant(_INDEX, 0))


def _multiply_add(builder: Any, *vectors: Any) -> Any:
    kind = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
    fused = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fmuladd.v{LANES}f32")
    return builder.call(fused, vectors)


def _any(builder: Any, flags: Any) -> Any:
    bits = ir.IntType(LANES)
    return builder.icmp_unsigned("!=", builder.bitcast(flags, bits), ir.Constant(bits, 0))


@_intrinsic
def load(typing: Any, array: Any, strip: Any, node: Any) -> Any:
    """Return `array[strip, node]`, of an array whose last axis is as long as a vector."""

    def lowered(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.load(_pointer(context, builder, array, values), align=4)

    return VECTOR(array, types.intp, types.intp), lowered


@_intrinsic
def store(typing: Any, array: Any, strip: Any, node: Any, vector: Any) -> Any:
    """Assign `array[strip, node] = vector`."""

    def lowered(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        builder.store(values[3], _pointer(context, builder, array, values), align=4)
        return context.get_dummy_value()

    return types.none(array, types.intp, types.intp, VECTOR), lowered


def _pointer(context: Any, builder: Any, array: Any, values: Any) -> Any:
    data = context.make_array(array)(context, builder, values[0])
    indices = [*values[1:3], ir.Constant(ir.IntType(64), 0)]
    pointer = cgutils.get_item_pointer(context, builder, array, data, indices, wraparound=False)
    return builder.bitcast(pointer, _VECTOR.as_pointer())
