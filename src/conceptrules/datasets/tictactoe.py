"""Tic-tac-toe, made by playing out the game: every board on which a game can end, x moving first."""

from __future__ import annotations

LINES = ((1, 2, 3), (4, 5, 6), (7, 8, 9), (1, 4, 7), (2, 5, 8), (3, 6, 9), (1, 5, 9), (3, 5, 7))
"""The eight winning lines, as the names of the squares, row by row from the top left."""

Board = tuple[str, ...]
_BLANK = "b"


def boards() -> list[Board]:
    """Return the 958 final boards, in the order of the UCI file: x has won, o has won, drawn; then squares as x, o, b.

    >>> len(boards()), "".join(boards()[0])
    (958, 'xxxxooxoo')
    """
    return sorted(_finals(), key=lambda board: (_outcome(board), ["xob".index(s) for s in board]))


def wins(board: Board, player: str) -> bool:
    """Return whether a player has three in a row."""
    return any(all(board[square - 1] == player for square in line) for line in LINES)


def _outcome(board: Board) -> int:
    return 0 if wins(board, "x") else 1 if wins(board, "o") else 2


def _finals() -> set[Board]:
    """Try every move on every board of a game that goes on, and return the boards on which a game ends."""
    going: set[Board] = {(_BLANK,) * 9}
    ended: set[Board] = set()
    for player in "xoxoxoxox":
        moves = ((board, i) for board in going for i, mark in enumerate(board) if mark == _BLANK)
        moved = {(*board[:i], player, *board[i + 1 :]) for board, i in moves}
        ended |= {board for board in moved if wins(board, player)}
        going = moved - ended
    return ended | going
