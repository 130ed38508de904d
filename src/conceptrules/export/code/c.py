"""A network as one C function that allocates nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence

from conceptrules.export.code.writer import CodeWriter, class_variables
from conceptrules.export.inputs import Family, inputs, is_double, is_utf8
from conceptrules.export.wording import comment, concept_ids, header, rule_ids
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.text import word

_RESERVED = """auto break case char const continue default do double else enum extern float for goto if inline int long
main register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while"""
_USE = """
{name}(row, rules) returns the number of the class, from 0: {name}_labels has their names.
rules: NULL, or {name}_rules bytes that are set to 1 for the rules that fire and to 0 for the others.
A missing number is NAN, a missing text has the bytes NULL. Texts are UTF-8 and may hold the byte 0, so they come with
their size. Dates and times are microseconds since 1970-01-01 in UTC, durations microseconds. Nothing is allocated.
"""
# How the struct of a row holds a column, and what its comment says of it.
_FIELDS: dict[Family, tuple[str, str]] = {
    "ordered": ("double", ""),
    "figure": ("double", ""),
    "flag": ("double", ", 1 or 0"),
    "text": ("struct {name}_text", ", text"),
    "whole": ("struct {name}_whole", ", a whole number"),
}
_OVERLONG = 4000  # C compilers need not take longer strings


class CWriter(CodeWriter):
    """C11. Comparisons with NAN are false, so only a test without any has to ask whether a number is missing."""

    language = "C"
    reserved = _RESERVED
    statement = "    const int {name} = {value};"
    remark = " /* {} */"
    true, false = "1", "0"
    cell = "row->x{number}"
    alternative = "({})"

    def is_missing(self, x: str, family: Family) -> str:
        return {"text": f"{x}.bytes == NULL", "whole": f"!{x}.present"}.get(family, f"!!isnan({x})")

    def is_between(self, x: str, low: float, high: float) -> str:
        tests = [f"{low + 0.0!r} < {x}"] if low != -math.inf else []
        tests += [f"{x} <= {high + 0.0!r}"] if high != math.inf else []
        return " && ".join(tests) or f"!isnan({x})"

    def is_equal(self, x: str, value: Value, family: Family) -> str:
        if isinstance(value, str):
            if not is_utf8(value):
                return "0"
            size = len(value.encode("utf-8"))
            return f"{x}.bytes != NULL && {x}.size == {size} && memcmp({x}.bytes, {text_literal(value)}, {size}) == 0"
        if family == "whole":
            # C reads the minus sign apart, and the least number has no positive twin.
            whole = "INT64_MIN" if value == -(2**63) else f"INT64_C({int(value)})"
            return f"{x}.present && {x}.value == {whole}"
        if not is_double(value):
            return "0"
        number = float(value)
        return f"{x} == {'-' * (number < 0)}INFINITY" if math.isinf(number) else f"{x} == {number + 0.0!r}"


def c(network: RuleNetwork, *, name: str = "decide") -> str:
    """Return the network as a C11 function, `int name(const struct name_row *row, unsigned char *rules)`.

    Parameters
    ----------
    network : RuleNetwork
        The network.
    name : str, default="decide"
        The name of the function.

    Returns
    -------
    str
        The content of a .c file.

    Raises
    ------
    InputError
        If a function cannot have this name.
    """
    writer = CWriter()
    writer.check_function_name(name)
    blocks = [
        writer.comments([*header(network), *_USE.strip().format(name=name).splitlines()]),
        "#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n",
        _structs(network, name),
        _declarations(network, name),
        _function(network, name, list(writer.statements(network))),
    ]
    return "\n".join(blocks) + "\n"


def text_literal(text: str) -> str:
    """Return UTF-8 as a string of ASCII. Octal escapes end after three digits; `?` could begin a trigraph."""
    octets = text.encode("utf-8")
    if len(octets) > _OVERLONG:
        return f"(const char[]){{{', '.join(str(byte if byte < 128 else byte - 256) for byte in octets)}}}"
    plain = (chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}" for byte in octets)
    return '"' + "".join(plain) + '"'


def _structs(network: RuleNetwork, name: str) -> str:
    fields = []
    for number, used in enumerate(inputs(network), start=1):
        kind, note = _FIELDS[used.family]
        words = f"{comment(word(used.column.name))}: {used.column.kind}{note}"
        fields.append(f"    {kind.format(name=name)} x{number}; /* {words} */")
    row = "\n".join(fields) or "    char unused; /* no rule tests a column */"
    return f"""struct {name}_text {{
    const char *bytes;
    size_t size;
}};

struct {name}_whole {{
    int64_t value;
    int present; /* 0: the number is missing */
}};

struct {name}_row {{
{row}
}};
"""


def _declarations(network: RuleNetwork, name: str) -> str:
    labels = "".join(f"    {_label(value)},\n" for value in network.classes)
    ids = rule_ids(network)
    order = "".join(f"\n/* {' '.join(ids[start : start + 20])} */" for start in range(0, len(ids), 20))
    return f"""/* How many rules there are, and their order: "1.3" is R1.3. */{order}
enum {{ {name}_rules = {len(ids)} }};

const char *const {name}_labels[{len(network.classes)}] = {{
{labels}}};
int {name}(const struct {name}_row *row, unsigned char *rules);
"""


def _label(value: Value) -> str:
    """Return a label as text; what UTF-8 cannot hold is shown as an escape."""
    text = value if isinstance(value, str) else word(value)
    literal = text_literal(text.encode("utf-8", "backslashreplace").decode("utf-8"))
    return literal if literal.startswith('"') else f"{literal[:-1]}, 0}}"


def _function(network: RuleNetwork, name: str, statements: Sequence[str]) -> str:
    tops = class_variables(network)
    rules = [f"r{rule.replace('.', '_')}" for rule in rule_ids(network)]
    fired = "".join(f"        rules[{place}] = {rule} ? 1 : 0;\n" for place, rule in enumerate(rules))
    wins = "".join(f"    if ({tops[index]}) return {index};\n" for index in network.priority_indices)
    # Of the concepts below the classes, some may be used nowhere in a network that is not simplified.
    hidden = concept_ids(network)[: -len(tops)]
    unused = "".join(f"    (void)c{concept.replace('.', '_')};\n" for concept in hidden)
    return f"""int {name}(const struct {name}_row *row, unsigned char *rules)
{{
    (void)row;
{chr(10).join(statements)}
    if (rules != NULL) {{
{fired or "        ;" + chr(10)}    }}
{unused}{wins}    return {network.default_index};
}}"""
