"""Drawings as files, and the command that makes them."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from conceptrules import InputError, save
from conceptrules.cli import main
from conceptrules.draw import svg
from tests.draw.networks import empty, hostile, large


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(large(50), "model.json")


@pytest.fixture
def run(capfd):
    def running(*arguments: str, code: int = 0) -> tuple[str, str]:
        with pytest.raises(SystemExit) as end:
            main(["draw", *arguments])
        out, err = capfd.readouterr()
        assert end.value.code == code, err
        return out, err

    return running


def pixels(path: str) -> np.ndarray:
    return np.asarray(Image.open(path).convert("RGB"))


def size(svg: str) -> tuple[float, float]:
    found = re.search(r'viewBox="0 0 (\d+) (\d+)"', svg)
    assert found
    return float(found[1]), float(found[2])


@pytest.mark.parametrize("network", [large(50), hostile(), empty()], ids=["50", "hostile", "empty"])
def test_a_png_has_two_pixels_a_unit_and_something_on_it(network):
    drawn = network.draw(theme="light")
    drawn.save("network.png")
    image = pixels("network.png")
    wide, high = size(drawn.text)
    assert image.shape == (2 * high, 2 * wide, 3)
    assert (image[0, 0] == 255).all()
    assert 0.001 < (image < 128).all(axis=2).mean() < 0.2  # words and lines are dark, and few


def test_a_png_shows_the_colours_of_the_columns():
    large(50).draw(theme="light").save("light.png")
    large(50).draw(theme="dark").save("dark.png")
    assert (np.abs(pixels("light.png").astype(int) - [10, 74, 158]).sum(axis=2) < 60).sum() > 100
    assert (pixels("dark.png")[0, 0] == [20, 24, 29]).all()


def test_words_are_drawn_where_no_font_is_installed(monkeypatch):
    assert [path.name for path in svg._list_fonts()] == ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf"]


def test_a_pdf_is_one_page_of_the_size_of_the_drawing():
    drawn = large(50).draw()
    drawn.save("network.pdf")
    data = Path("network.pdf").read_bytes()
    assert data.startswith(b"%PDF-")
    boxes = re.findall(rb"/MediaBox ?\[0 0 ([\d.]+) ([\d.]+)", data)
    wide, high = size(drawn.text)
    assert [(float(a), float(b)) for a, b in boxes] == [(pytest.approx(0.75 * wide), pytest.approx(0.75 * high))]
    assert b"/Font" in data  # text stays text


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_the_same_drawing_gives_the_same_file(suffix):
    large(50).draw().save(f"a{suffix}")
    large(50).draw().save(f"b{suffix}")
    assert Path(f"a{suffix}").read_bytes() == Path(f"b{suffix}").read_bytes()


def test_other_suffixes_and_missing_folders_are_refused():
    with pytest.raises(InputError, match=r"must end in one of \.svg, \.png, \.pdf"):
        large(50).draw().save("network.jpg")
    with pytest.raises(InputError, match="there is no folder"):
        large(50).draw().save("nowhere/network.svg")
    assert sorted(path.name for path in Path().iterdir()) == ["model.json"]


@pytest.mark.parametrize("name", ["network.png", "network.pdf"])
def test_without_typst_the_install_line_is_told(name, monkeypatch, run):
    monkeypatch.setattr(svg, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install 'conceptrules\[plot\]', or name an \.svg file"):
        large(50).draw().save(name)
    assert "pip install" in run("model.json", "-o", name, code=2)[1]
    large(50).draw().save("network.svg")


def test_a_failed_write_leaves_nothing_behind(monkeypatch):
    def failing(*_):
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(OSError, match="disk full"):
        large(50).draw().save("network.svg")
    assert sorted(path.name for path in Path().iterdir()) == ["model.json"]


def test_the_command_draws_a_network(run):
    run("model.json", "-o", "network.svg")
    assert Path("network.svg").read_text(encoding="utf-8") == large(50).draw().text
    assert run("model.json", "-o", "-")[0] == large(50).draw().text
    run("model.json", "-o", "network.png", "--theme", "dark")
    assert Image.open(io.BytesIO(Path("network.png").read_bytes())).size[0] > 1000
    run("model.json", "-o", "network.pdf")
    assert Path("network.pdf").read_bytes().startswith(b"%PDF-")


def test_the_command_draws_a_rule_set_and_folds(run):
    run("model.json", "-o", "rules.svg", "--rule-set", "class 1", "--theme", "light")
    assert Path("rules.svg").read_text(encoding="utf-8") == large(50).draw("class 1", theme="light").text
    save(large(2000), "large.json")
    assert run("large.json", "-o", "-", "--fold", "0")[0] == large(2000).draw(fold=None).text
    assert run("large.json", "-o", "-", "--fold", "99")[0] == large(2000).draw(fold=99).text


def test_a_class_that_is_a_number_is_found(run):
    network = large(50)
    save(type(network)(network.columns, network.predicates, network.levels, [1, 2.0]), "numbers.json")
    assert "2.0 if any of" in run("numbers.json", "-o", "-", "--rule-set", "2")[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["model.json", "-o", "network.gif"], "must end in one of .svg, .png, .pdf"),
        (["model.json", "-o", "nowhere/network.svg"], "there is no folder"),
        (["model.json", "-o", "n.svg", "--theme", "blue"], "the theme is 'blue'"),
        (["model.json", "-o", "n.svg", "--rule-set", "clas 1"], "did you mean class 1?"),
        (["nothing.json", "-o", "n.svg"], "nothing.json: No such file"),
    ],
)
def test_mistakes_are_one_line_and_leave_nothing(run, arguments, message):
    out, err = run(*arguments, code=2)
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
    assert sorted(path.name for path in Path().iterdir()) == ["model.json"]
