"""Scores of a confusion matrix [true class, answer], and their slopes: what one more row in a cell of it is worth.

The slopes are to the search what gradients are to boosting. A score such as F1 is no sum over rows, but near the
present confusion matrix it nearly is: with the slopes, every row has a gain of its own, and gains add up in histograms.
"""

from libc.math cimport log
from libc.stdlib cimport free, malloc
from libc.string cimport memset

# A class that is never answered has a slope without any cost of wrong answers: everything would be given to it. So
# slopes are taken as if at least half as many rows as it has were answered, and as if some F1 had been reached.
cdef double _LEAST_ANSWERED = 0.5
cdef double _LEAST_F1 = 0.3


cdef struct Totals:
    double *rows  # of each true class
    double *answers  # of each class
    Py_ssize_t occurring  # classes with rows, at least 1
    double weight  # of all rows


cdef Totals _sum(const double[:, ::1] confusion) noexcept nogil:
    """Return the sums over rows and columns; `free(totals.rows)` when they are no longer needed."""
    cdef Py_ssize_t classes = confusion.shape[0], k, j
    cdef double rows
    cdef Totals totals
    totals.rows = <double *>malloc(2 * classes * sizeof(double))
    totals.answers = totals.rows + classes
    totals.occurring, totals.weight = 0, 0.0
    memset(totals.answers, 0, classes * sizeof(double))
    for k in range(classes):
        rows = 0.0
        for j in range(classes):
            rows += confusion[k, j]
        for j in range(classes):  # a loop of its own, several columns at a time
            totals.answers[j] += confusion[k, j]
        totals.rows[k] = rows
        totals.occurring += rows > 0
        totals.weight += totals.rows[k]
    totals.occurring = max(totals.occurring, 1)
    return totals


cpdef double score_of(const double[:, ::1] confusion, int scoring) noexcept nogil:
    """Return the score of a confusion matrix."""
    cdef Py_ssize_t classes = confusion.shape[0], k, j
    cdef double score = 0.0, average
    cdef Totals totals = _sum(confusion)
    for k in range(classes):
        if scoring == F1_MACRO:
            if totals.rows[k] > 0:
                score += 2 * confusion[k, k] / (totals.rows[k] + totals.answers[k]) / totals.occurring
        elif scoring == ACCURACY:
            score += confusion[k, k] / totals.weight
        elif scoring == BALANCED_ACCURACY:
            if totals.rows[k] > 0:
                score += confusion[k, k] / totals.rows[k] / totals.occurring
        else:
            # Among rows of one answer the classes' shares are their probabilities, smoothed by one average row.
            average = (totals.rows[k] + 1) / (totals.weight + classes)
            for j in range(classes):
                score += (
                    confusion[k, j] * log((confusion[k, j] + average) / (totals.answers[j] + 1)) / totals.weight
                )
    free(totals.rows)
    return score


cpdef void slopes_of(const double[:, ::1] confusion, int scoring, double[:, ::1] slopes) noexcept nogil:
    """Write what one more row of each true class is worth under each answer, to first order."""
    cdef Py_ssize_t classes = confusion.shape[0], k, j
    cdef double size, average, share, moved
    cdef Totals totals = _sum(confusion)
    for j in range(classes):
        size = max(totals.rows[j] + max(totals.answers[j], _LEAST_ANSWERED * totals.rows[j]), 1e-9)
        for k in range(classes):
            if scoring == F1_MACRO:
                slopes[k, j] = 0.0
                if totals.rows[j] > 0:
                    slopes[k, j] = -max(2 * confusion[j, j] / size, _LEAST_F1) / size / totals.occurring
                    if k == j:
                        slopes[k, j] += 2 / size / totals.occurring
            elif scoring == ACCURACY:
                slopes[k, j] = 1 / totals.weight if k == j else 0.0
            elif scoring == BALANCED_ACCURACY:
                slopes[k, j] = 1 / totals.rows[k] / totals.occurring if k == j and totals.rows[k] > 0 else 0.0
            else:
                average = (totals.rows[k] + 1) / (totals.weight + classes)
                share = log((confusion[k, j] + average) / (totals.answers[j] + 1))
                moved = confusion[k, j] / (confusion[k, j] + average) - totals.answers[j] / (totals.answers[j] + 1)
                slopes[k, j] = (share + moved) / totals.weight
    free(totals.rows)
