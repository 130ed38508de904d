"""The documentation site: `make docs` builds it into docs/_build/html."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from conceptrules import __version__, plots
from conceptrules.draw.svg import Svg

HERE = Path(__file__).parent
REPOSITORY = "https://github.com/conceptrules/conceptrules"

project = "conceptrules"
author = "the authors of conceptrules"
copyright = author
version = release = __version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "examples", "images", "**/sg_execution_times.rst", "sg_execution_times.rst"]
templates_path = ["_templates"]
suppress_warnings = [
    "config.cache",  # the settings of the gallery have a function in them
    "misc.highlighting_failure",  # listings with `...` in them are no JSON and no SQL
]
sys.modules.setdefault("conceptrules.plots", plots)  # where it is, for autodoc, which asks for modules by their names

# Pages are read on GitHub too: its anchors of headings, its links between files.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings have the types
numpydoc_show_class_members = False

smartquotes = False  # they turn the hyphens of options into dashes

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = "conceptrules"
html_favicon = "_static/icon.svg"
html_context = {"default_mode": "auto"}  # the theme complains in the console without it
toc_object_entries_show_parents = "hide"
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {page: [] for page in ("index", "start", "coming-from", "results")}
html_theme_options = {
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
    "github_url": REPOSITORY,
    "header_links_before_dropdown": 7,
    "navigation_depth": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": [],
    "footer_end": [],
    "show_prev_next": False,
}


def pictures(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Show the drawings and the plots that a block of an example gave a name to."""
    del block, gallery_conf
    shown = block_vars.setdefault("shown", [])
    found = []
    for name, value in block_vars["example_globals"].items():
        if isinstance(value, (Svg, Figure)) and not any(value is one for one in shown):
            shown.append(value)
            path = Path(next(block_vars["image_path_iterator"]))
            if isinstance(value, Svg):
                path = path.with_suffix(".svg")
                path.write_text(str(value), encoding="utf-8")
            else:
                value.savefig(path)
            # A drawing has colours for the dark, and scrolls where the page is narrow; a plot has a white ground.
            kind, room = ("dark-light", "drawing") if isinstance(value, Svg) else ("plot", "plot")
            image = f"   .. image:: /{path.relative_to(HERE).as_posix()}\n      :class: {kind}\n      :alt: {name}\n"
            found.append(f".. container:: {room}\n\n{image}")
    return "\n".join(found)


sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"\.py$",
    "image_scrapers": (pictures,),
    "capture_repr": ("_repr_html_", "__repr__"),
    "ignore_repr_types": r"\.svg\.Svg|Figure",  # `pictures` shows them
    "abort_on_example_error": True,
    "download_all_examples": False,
    "min_reported_time": float("inf"),
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,  # its page asks other hosts for scripts
    "remove_config_comments": True,
}


def setup(app: Any) -> None:
    """Write the reference of the commands, leave out scikit-learn's methods, and link to the repository."""
    app.connect("builder-inited", compile_kernels, priority=1)
    app.connect("builder-inited", write_commands)
    app.connect("autodoc-skip-member", is_of_others)
    app.connect("source-read", link_to_repository)


def compile_kernels(app: Any) -> None:
    """Compile the kernels before the examples are run, since none of them is about that."""
    from conceptrules import ConceptRuleClassifier, MLLPClassifier, datasets

    wine = datasets.load("wine")
    search, descent = ConceptRuleClassifier(effort="fast"), MLLPClassifier(layers=(8,), max_epochs=40, random_state=0)
    for estimator in (search, descent):
        estimator.fit(wine.X, wine.y)


def write_commands(app: Any) -> None:
    """Write the page of all commands and their options, from the application itself."""
    from typer.cli import get_docs_for_click
    from typer.main import get_command

    from conceptrules.cli.app import app as commands

    command = get_command(commands)
    text = get_docs_for_click(obj=command, ctx=command.make_context("conceptrules", ["schema"]), name="conceptrules")
    for name, one in command.commands.items():  # the list has the beginnings of sentences
        said = " ".join((one.help or "").split("\n\n")[0].split())
        text = re.sub(rf"^\* `{name}`: .*$", lambda _, line=f"* `{name}`: {said}": line, text, flags=re.MULTILINE)
    page = HERE / "generated" / "commands.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text(re.sub(r"^# `conceptrules`", "# Commands and options", text), encoding="utf-8")


def is_of_others(app: Any, kind: str, name: str, value: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what scikit-learn adds to an estimator, such as the routing of metadata: its own site has it."""
    module = getattr(value, "__module__", None) or ""
    return True if module.startswith("sklearn.") else None


def link_to_repository(app: Any, name: str, source: list[str]) -> None:
    """Lead a link to a file outside of docs/ to its page in the repository; pictures are copied into the site."""
    source[0] = re.sub(r"(?<!!)(\[[^\]]*\])\(\.\./(?!\.)", rf"\1({REPOSITORY}/blob/main/", source[0])
