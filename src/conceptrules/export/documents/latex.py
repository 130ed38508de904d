"""The rules as LaTeX tables, to be read in with `\\input`; the document needs the package longtable."""

from __future__ import annotations

import re

from conceptrules.export.comments import comment, header
from conceptrules.export.documents.rule_tables import Document, RuleRow, Section, document
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import shown

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    "|": r"\ensuremath{|}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
}
# Two of these in a row become another sign.
_ANY = re.compile("|".join([*map(re.escape, _SPECIAL), "[-,](?=[-,])"]))
_LONG = 30  # letters, after which a word may be broken


def latex(network: RuleNetwork) -> str:
    """Return the rules as LaTeX tables, class by class.

    Parameters
    ----------
    network : RuleNetwork
        The network.

    Returns
    -------
    str
        Text to be read in with `\\input`.
    """
    whole = document(network)
    lines = [f"% {comment(line)}" for line in header(network)]
    lines += [r"% Needs \usepackage{longtable,textcomp} and \usepackage[T1]{fontenc}."]
    lines += ["% Names beyond the Latin script need XeLaTeX or LuaLaTeX, and a font that has them."]
    lines += ["", " ".join(map(escaped, whole.introduction)), ""]
    for section in whole.sections:
        lines += _section(section, whole)
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Return text that LaTeX prints as it is, whatever is in it.

    >>> print(escaped("50 % \\\\input"))
    50 \\% \\textbackslash{}input
    """
    words = [_breakable(word) for word in shown(text).split(" ")]
    return " ".join(words)


def _breakable(word: str) -> str:
    parts = [word[start : start + _LONG] for start in range(0, len(word), _LONG)]
    return r"\allowbreak{}".join(_ANY.sub(_replaced, part) for part in parts)


def _replaced(found: re.Match[str]) -> str:
    return _SPECIAL.get(found.group(), f"{found.group()}{{}}")


def _section(section: Section, whole: Document) -> list[str]:
    if not section.rules:
        return [rf"\par\noindent\textbf{{{escaped(section.title)}}}\par", ""]
    head = ["rule", "literals", *(["rows", "right"] if whole.measured else [])]
    columns = "lp{0.5\\textwidth}" + ("rr" if whole.measured else "")
    return [
        rf"\begin{{longtable}}{{{columns}}}",
        rf"\multicolumn{{{len(head)}}}{{l}}{{\textbf{{{escaped(section.title)}}}}} \\",
        rf"\hline {' & '.join(head)} \\ \hline \endhead",
        *(_row(rule, whole.measured) for rule in section.rules),
        r"\hline",
        r"\end{longtable}",
        "",
    ]


def _row(rule: RuleRow, measured: bool) -> str:
    cells = [rule.name, rule.text, *([rule.rows, rule.right] if measured else [])]
    return " & ".join(map(escaped, cells)) + r" \\"
