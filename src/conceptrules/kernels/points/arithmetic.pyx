"""Exponentials, logarithms and linear equations with the same bits on every processor.

Those of NumPy and BLAS take other instructions on other processors, and differ in the last bit. That is enough to choose
another rule where two are worth the same. Here the operations and their order are always the same ones.
"""

from libc.math cimport INFINITY, NAN, sqrt
from libc.stdint cimport int64_t
from libc.string cimport memcpy

import numpy as np

cdef double LOG2_E = 1.4426950408889634
# The logarithm of 2 in two parts: whole multiples of the first, which ends in zeros, are exact.
cdef double LN2_HIGH = 0.693147180369123816490
cdef double LN2_LOW = 1.90821492927058770002e-10
# The bits of a float: its digits, below its exponent, which has 1022 for numbers from 0.5 to 1.
cdef int64_t DIGITS = 4503599627370495, HALF = 1022
cdef double SQRT_HALF = 0.7071067811865476
# Numbers up to 2 to the power of 51 lose what is behind the point when this is added to them.
cdef double ROUND = 6755399441055744.0
cdef double LOWEST = -708, HIGHEST = 709
cdef double[14] FACTORIALS  # 1 / n!
cdef double[12] ODDS  # 1 / (2 n + 1)
cdef int n
FACTORIALS[0] = 1
for n in range(1, 14):
    FACTORIALS[n] = FACTORIALS[n - 1] / n
for n in range(12):
    ODDS[n] = 1.0 / (2 * n + 1)


cdef enum:
    BLOCK = 32


cdef void exponentiate_block(const double *values, double *powers) noexcept nogil:
    """x = k ln 2 + r with r in -0.35 to 0.35, where the Taylor series has all digits after 14 terms.

    Each step is a loop over the block, so that the compiler can take several numbers at once.
    """
    cdef double[BLOCK] x, r
    cdef int64_t[BLOCK] bits
    cdef double k
    cdef int i, n
    for i in range(BLOCK):
        x[i] = LOWEST if values[i] < LOWEST else HIGHEST if values[i] > HIGHEST else values[i]
    for i in range(BLOCK):
        k = x[i] * LOG2_E + ROUND  # its last bits are those of the whole number
        memcpy(&bits[i], &k, sizeof(double))
        k -= ROUND
        r[i] = (x[i] - k * LN2_HIGH) - k * LN2_LOW
        powers[i] = FACTORIALS[13]
    for n in range(12, -1, -1):
        for i in range(BLOCK):
            powers[i] = powers[i] * r[i] + FACTORIALS[n]
    for i in range(BLOCK):
        bits[i] = (bits[i] + HALF) << 52  # half of 2 to the power of k, which is never too large for a float
        memcpy(&k, &bits[i], sizeof(double))
        powers[i] = 2 * powers[i] * k
    for i in range(BLOCK):
        powers[i] = 0.0 if values[i] < LOWEST else INFINITY if values[i] > HIGHEST else powers[i]


cdef double compute_logarithm(double x) noexcept nogil:
    """x = m 2 ** k with m in 0.71 to 1.41, and log m = 2 artanh((m - 1) / (m + 1))."""
    cdef int64_t k = 0, bits
    cdef double f, square, series
    cdef int n
    if not 0 < x < INFINITY:
        return -INFINITY if x == 0 else x if x > 0 else NAN
    if x < 2.3e-308:  # such numbers have fewer digits, and another form
        x, k = x * 18014398509481984.0, -54
    memcpy(&bits, &x, sizeof(double))
    k += ((bits >> 52) & 0x7FF) - HALF
    bits = (bits & DIGITS) | (HALF << 52)
    memcpy(&x, &bits, sizeof(double))
    if x < SQRT_HALF:
        x, k = 2 * x, k - 1
    f = (x - 1) / (x + 1)
    square, series = f * f, ODDS[11]
    for n in range(10, -1, -1):
        series = series * square + ODDS[n]
    return k * LN2_HIGH + (2 * f * series + k * LN2_LOW)


def exponentiate(values):
    """Return e to the power of each value; 0 below -708."""
    powers = np.zeros(-(-np.size(values) // BLOCK) * BLOCK)
    flat = np.zeros(len(powers))
    flat[: np.size(values)] = np.reshape(values, -1)
    cdef double[::1] read = flat, written = powers
    cdef Py_ssize_t block
    with nogil:
        for block in range(read.shape[0] // BLOCK):
            exponentiate_block(&read[block * BLOCK], &written[block * BLOCK])
    return powers[: np.size(values)].reshape(np.shape(values))


def take_logarithms(values):
    """Return the natural logarithm of each value."""
    cdef const double[::1] flat = np.ascontiguousarray(values, np.float64).reshape(-1)
    logarithms = np.empty(np.shape(values))
    cdef double[::1] written = logarithms.reshape(-1)
    cdef Py_ssize_t i
    with nogil:
        for i in range(flat.shape[0]):
            written[i] = compute_logarithm(flat[i])
    return logarithms


cdef void decompose(double[:, ::1] matrix) noexcept nogil:
    """Write Cholesky's factor of a positive definite matrix into its lower half."""
    cdef Py_ssize_t i, j, k
    cdef double total, least
    for j in range(matrix.shape[0]):
        least = 1e-14 * matrix[j, j]  # of columns that say the same but for rounding
        for i in range(j, matrix.shape[0]):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = sqrt(total if total > least else least) if i == j else total / matrix[j, j]


cdef void solve_lower(const double[:, ::1] factor, double[::1] vector, Py_ssize_t first) noexcept nogil:
    """Solve factor x = vector in place; the numbers before the first are 0."""
    cdef Py_ssize_t i, k
    for i in range(first, factor.shape[0]):
        for k in range(first, i):
            vector[i] -= factor[i, k] * vector[k]
        vector[i] /= factor[i, i]


def solve(matrix, vector):
    """Return the solution of the equations of a symmetric, positive definite matrix."""
    cdef double[:, ::1] factor = np.array(matrix, np.float64, order="C")
    solution = np.array(vector, np.float64)
    cdef double[::1] numbers = solution
    cdef Py_ssize_t i, k
    with nogil:
        decompose(factor)
        solve_lower(factor, numbers, 0)
        for i in range(factor.shape[0] - 1, -1, -1):
            for k in range(i + 1, factor.shape[0]):
                numbers[i] -= factor[k, i] * numbers[k]
            numbers[i] /= factor[i, i]
    return solution


def invert_diagonal(matrix):
    """Return the diagonal of the inverse of a symmetric, positive definite matrix."""
    cdef double[:, ::1] factor = np.array(matrix, np.float64, order="C")
    diagonal, unit = np.zeros(len(factor)), np.zeros(len(factor))
    cdef double[::1] written = diagonal, numbers = unit
    cdef Py_ssize_t i, k
    with nogil:
        decompose(factor)
        for i in range(factor.shape[0]):
            numbers[i:] = 0
            numbers[i] = 1
            solve_lower(factor, numbers, i)
            for k in range(i, factor.shape[0]):
                written[i] += numbers[k] * numbers[k]
    return diagonal


def sum_squares(const double[::1] weights, const double[:, ::1] values):
    """Return (columns, columns): the sums over rows of the products of two values, times the weight of the row."""
    cdef Py_ssize_t i, j, k, width = values.shape[1]
    cdef double weighted
    sums = np.zeros((width, width))
    cdef double[:, ::1] written = sums
    with nogil:
        for i in range(values.shape[0]):
            for j in range(width):
                weighted = weights[i] * values[i, j]
                for k in range(j + 1):
                    written[j, k] += weighted * values[i, k]
    return sums + np.tril(sums, -1).T
