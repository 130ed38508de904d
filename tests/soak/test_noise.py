from __future__ import annotations

from tests.soak.noise import draw_noise, has_rules


def test_noise_is_of_any_size_and_gives_no_rules() -> None:
    sizes = [draw_noise(seed)[0].shape for seed in range(12)]
    assert min(rows for rows, _ in sizes) < 100
    assert max(rows for rows, _ in sizes) > 1000
    assert sum(has_rules(seed, "fast") for seed in range(12)) <= 1
