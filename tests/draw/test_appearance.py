"""The palette can be told apart by everyone, on both backgrounds."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from conceptrules.draw.appearance import BACKGROUND, INK, PALETTES, QUIET, assign_colours
from tests.draw.networks import hostile, large

# Machado, Oliveira and Fernandes (2009): what complete colour blindness makes of linear RGB.
SIGHT = {
    "full": np.eye(3),
    "protanopia": np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
    "deuteranopia": np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
    "tritanopia": np.array([[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]]),
}
XYZ = np.array([[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]])


def linear(colour: str) -> np.ndarray:
    part = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    x, y, z = XYZ @ np.clip(rgb, 0, 1) / [0.9505, 1, 1.089]
    f = [np.cbrt(v) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z)]
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(a: str, b: str) -> float:
    """As the accessibility guidelines of the web define it."""
    dark, light = sorted(float(linear(colour) @ [0.2126, 0.7152, 0.0722]) for colour in (a, b))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_lines_and_words_stand_out_from_the_paper(theme):
    assert all(contrast(colour, BACKGROUND[theme]) >= 3 for colour in PALETTES[theme])
    assert contrast(INK[theme], BACKGROUND[theme]) >= 7
    assert contrast(QUIET[theme], BACKGROUND[theme]) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("sight", SIGHT)
def test_colours_differ_for_every_eye(theme, sight):
    seen = [lab(SIGHT[sight] @ linear(colour)) for colour in PALETTES[theme]]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 20  # 2 can just be noticed


def test_columns_get_their_colours_from_the_network_alone():
    network = large(200)
    colours = assign_colours(network)
    assert list(colours.values()) == [number % 8 for number in range(len(colours))]
    assert len(set(assign_colours(hostile()).values())) == 8
