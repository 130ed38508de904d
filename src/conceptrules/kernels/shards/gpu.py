"""Rows on a GPU: confusion.py says what is computed. Sums are of whole numbers, so they are the same, bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import triton
import triton.language as tl
from numpy.typing import NDArray

from conceptrules.kernels.shards.values import KEYS, MEMBERS, Networks, Shard

ROWS = 256
"""Rows of a program."""
CELLS = 2**22
"""Cells of all copies of the sums: so many programs hardly ever add to the same one at the same time."""
_SIGN = np.uint64(KEYS // 2)


class RowsOnCard:
    """A shard on a GPU, column by column, so that rows side by side are read together."""

    def __init__(self, shard: Shard, device: str) -> None:
        self.codes = torch.from_numpy(np.asarray(shard.codes)).to(device).t().contiguous()
        self.target = torch.from_numpy(shard.target.astype(np.int32)).to(device)
        self.weight = torch.from_numpy(np.asarray(shard.weight)).to(device)
        self.key = torch.from_numpy(_signed(shard.key)).to(device)

    def below(self, bound: int) -> Shard:
        """Return the rows whose key is below a bound."""
        kept = slice(None) if bound >= KEYS else torch.nonzero(self.key < _one_signed(bound)).ravel()
        key = self.key[kept].cpu().numpy().view(np.uint64) ^ _SIGN
        codes = np.ascontiguousarray(self.codes[:, kept].cpu().numpy().T)
        return Shard(codes, self.target[kept].cpu().numpy().astype(np.uint16), self.weight[kept].cpu().numpy(), key)

    def confusion(self, networks: Networks, classes: int, first_key: int) -> NDArray[np.int64]:
        """Return [candidate, true class, answer]: the weight of the rows whose key is `first_key` or above."""
        rows, candidates = len(self.key), len(networks.member)
        cells = candidates * classes * classes
        copies = max(1, min(CELLS // cells, triton.cdiv(rows, ROWS)))
        found = torch.zeros(copies * cells, dtype=torch.int64, device=self.key.device)
        mask = np.ascontiguousarray(networks.mask).view(np.int32)
        _add_confusion[(triton.cdiv(rows, ROWS), candidates)](
            self.codes, self.target, self.weight, self.key, _one_signed(first_key), rows,
            self._sent(networks.column), len(networks.column), self._sent(mask.ravel()), mask.shape[2],
            self._sent(2 * networks.first), self._sent(networks.owner), self._sent(networks.default),
            self._sent(networks.member.ravel()), classes, copies, found,
            CODES=mask.shape[1], ROWS=ROWS, MEMBERS=MEMBERS,
        )  # fmt: skip
        summed = found.view(copies, candidates, classes, classes).sum(dim=0)
        return np.asarray(summed.cpu().numpy(), np.int64)

    def _sent(self, numbers: NDArray[Any]) -> torch.Tensor:
        # A GPU has no memory of size 0 to point to.
        return torch.from_numpy(numbers.astype(np.int32) if len(numbers) else np.zeros(1, np.int32)).to(self.key.device)


def _signed(key: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return keys as numbers with a sign, in the same order: torch compares no others."""
    return (np.asarray(key) ^ _SIGN).view(np.int64)


def _one_signed(key: int) -> int:
    return key - KEYS // 2


@triton.jit
def _add_confusion(
    codes, target, weight, key, first_key, rows, column, columns, mask, words, first, owner, default, member, classes,
    copies, found, CODES: tl.constexpr, ROWS: tl.constexpr, MEMBERS: tl.constexpr,
):  # fmt: skip
    """Add the weight of some rows to the cells of one candidate, in one of the copies."""
    block, candidate = tl.program_id(0), tl.program_id(1)
    row = block.to(tl.int64) * ROWS + tl.arange(0, ROWS)
    inside = row < rows
    inside = inside & (tl.load(key + row, mask=inside, other=0) >= first_key)
    fallback = tl.load(default + tl.load(member + candidate * MEMBERS))
    answer = tl.full([ROWS], -1, tl.int32)  # of the first member, and then of the vote
    second = tl.full([ROWS], -1, tl.int32)
    for m in tl.static_range(MEMBERS):
        network = tl.load(member + candidate * MEMBERS + m)
        if network >= 0:
            said = tl.zeros([ROWS], tl.int32) + tl.load(default + network)
            start, end = tl.load(first + network), tl.load(first + network + 1)
            for back in range(end - start):  # from the last word to the first, whose rules win
                w = end - 1 - back
                holding = tl.full([ROWS], -1, tl.int32)
                for j in range(columns):
                    code = tl.load(codes + tl.load(column + j).to(tl.int64) * rows + row, mask=inside, other=0)
                    holding &= tl.load(mask + (j * CODES + code.to(tl.int32)) * words + w)
                # The first bit that is set, as a number whose exponent is its place.
                only = (holding & -holding).to(tl.int64) & 0xFFFFFFFF
                place = (only.to(tl.float32).to(tl.int32, bitcast=True) >> 23) - 127
                some = holding != 0
                said = tl.where(some, tl.load(owner + w * 32 + place, mask=some, other=0), said)
            if m == 0:
                answer = said
            elif m == 1:
                second = said
            else:
                third = said
                outvoted = (second != answer) & (third != answer)
                answer = tl.where(outvoted, tl.where(second == third, second, fallback), answer)
    true = tl.load(target + row, mask=inside, other=0)
    cell = (((block % copies).to(tl.int64) * tl.num_programs(1) + candidate) * classes + true) * classes + answer
    tl.atomic_add(found + cell, tl.load(weight + row, mask=inside, other=0), mask=inside, sem="relaxed")
