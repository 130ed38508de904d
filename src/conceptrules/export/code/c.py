"""A network as one C function that allocates nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable

from conceptrules.export.code.statements import Syntax, class_names, function_name, node_lines
from conceptrules.export.comments import comment, header
from conceptrules.export.exact_values import is_double
from conceptrules.export.inputs import Family, Input, inputs
from conceptrules.export.node_names import predicate_words, rule_ids
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Equals, Interval, Missing, OneOf, Predicate, Value
from conceptrules.model.text import word

SYNTAX = Syntax(" && ", " || ", "!", "1", "0")
_RESERVED = """auto break case char const continue default do double else enum extern float for goto if inline int long
main register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while"""
_USE = """
{name}(row, rules) returns the number of the class, from 0: {name}_labels has their names.
rules: NULL, or {name}_rules bytes that are set to 1 for the rules that fire and to 0 for the others.
A missing number is NAN, a missing text has the bytes NULL. Texts are UTF-8 and may hold the byte 0, so they come with
their size. Dates and times are microseconds since 1970-01-01 in UTC, durations microseconds. Nothing is allocated.
"""
_TYPES: dict[Family, str] = {
    "ordered": "double x{number};",
    "figure": "double x{number};",
    "flag": "double x{number};",
    "text": "struct {name}_text x{number};",
    "whole": "struct {name}_whole x{number};",
}
_SAYS: dict[Family, str] = {
    "ordered": "",
    "figure": "",
    "flag": ", 1 or 0",
    "text": ", text",
    "whole": ", a whole number",
}
_OVERLONG = 4000  # C compilers need not take longer strings


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
    function_name(name, "C", _RESERVED)
    used = inputs(network)
    blocks = [
        _comments([*header(network), *_USE.strip().format(name=name).splitlines()]),
        "#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n",
        _structs(network, used, name),
        _outside(network, name),
        _function(network, used, name),
    ]
    return "\n".join(blocks) + "\n"


def text_literal(text: str) -> str:
    """Return UTF-8 as a string of ASCII. Octal escapes end after three digits; `?` could begin a trigraph."""
    octets = text.encode("utf-8")
    if len(octets) > _OVERLONG:
        return f"(const char[]){{{', '.join(str(byte if byte < 128 else byte - 256) for byte in octets)}}}"
    plain = (chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}" for byte in octets)
    return '"' + "".join(plain) + '"'


def _comments(lines: Iterable[str], indent: str = "") -> str:
    return "\n".join(f"{indent}/* {comment(line)} */" for line in lines)


def _structs(network: RuleNetwork, used: Iterable[Input], name: str) -> str:
    used = tuple(used)
    fields = [
        f"    {_TYPES[one.family].format(name=name, number=number)} "
        f"/* {comment(word(one.column.name))}: {one.column.kind}{_SAYS[one.family]} */"
        for number, one in enumerate(used, start=1)
    ]
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


def _outside(network: RuleNetwork, name: str) -> str:
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


def _function(network: RuleNetwork, used: Iterable[Input], name: str) -> str:
    tops = class_names(network)
    ids = rule_ids(network)
    fired = "".join(f"        rules[{place}] = r{_under(rule)} ? 1 : 0;\n" for place, rule in enumerate(ids))
    wins = "".join(f"    if ({tops[index]}) return {index};\n" for index in network.priority_indices)
    lines = [*_inputs(network, used), *_levels(network)]
    unused = "".join(f"    (void)c{_under(concept)};\n" for concept in _hidden(network))
    return f"""int {name}(const struct {name}_row *row, unsigned char *rules)
{{
    (void)row;
{chr(10).join(lines)}
    if (rules != NULL) {{
{fired or "        ;" + chr(10)}    }}
{unused}{wins}    return {network.default_index};
}}"""


def _under(name: str) -> str:
    return name.replace(".", "_")


def _hidden(network: RuleNetwork) -> list[str]:
    """Return the concepts below the classes; in a network that is not simplified, some may be used nowhere."""
    return [f"{n + 1}.{i + 1}" for n, level in enumerate(network.levels[:-1]) for i in range(len(level.concepts))]


def _inputs(network: RuleNetwork, used: Iterable[Input]) -> Iterable[str]:
    for number, one in enumerate(used, start=1):
        for index in one.predicates:
            test = _test(network.predicates[index], f"row->x{number}", one.family)
            yield f"    const int p{index + 1} = {test}; /* {comment(predicate_words(network, index))} */"


def _test(predicate: Predicate, x: str, family: Family) -> str:
    """Return a test. Comparisons with NAN are false, so only where there is none a missing number needs its own."""
    match predicate:
        case Missing():
            return (
                f"{x}.bytes == NULL" if family == "text" else f"!{x}.present" if family == "whole" else f"!!isnan({x})"
            )
        case Interval(low=low, high=high):
            tests = [f"{low + 0.0!r} < {x}"] if low != -math.inf else []
            tests += [f"{x} <= {high + 0.0!r}"] if high != math.inf else []
            return " && ".join(tests) or f"!isnan({x})"
        case Equals(value=value):
            return _equal(x, value, family)
        case OneOf(values=values):
            tests = [test for value in values if (test := _equal(x, value, family)) != "0"]
            return " || ".join(f"({test})" for test in tests) or "0"
    raise AssertionError(predicate)


def _equal(x: str, value: Value, family: Family) -> str:
    if isinstance(value, str):
        return _text_equal(x, value) if family == "text" else "0"
    if family == "text" or (family == "flag" and value not in (0, 1)):
        return "0"
    if family == "whole":
        return f"{x}.present && {x}.value == {_whole(int(value))}"
    if not is_double(value):
        return "0"
    number = float(value)
    return f"{x} == {'-' * (number < 0)}INFINITY" if math.isinf(number) else f"{x} == {number + 0.0!r}"


def _whole(value: int) -> str:
    """Return a whole number; C reads the minus sign apart, and the least number has no positive twin."""
    return "INT64_MIN" if value == -(2**63) else f"INT64_C({value})"


def _text_equal(x: str, value: str) -> str:
    try:
        size = len(value.encode("utf-8"))
    except UnicodeEncodeError:  # half of a surrogate pair: no UTF-8 text holds it
        return "0"
    return f"{x}.bytes != NULL && {x}.size == {size} && memcmp({x}.bytes, {text_literal(value)}, {size}) == 0"


def _levels(network: RuleNetwork) -> Iterable[str]:
    for line in node_lines(network, SYNTAX):
        title = f" /* {comment(line.title)} */" if line.title else ""
        yield f"    const int {line.name} = {line.code};{title}" if line.name else f"    /* {line.title} */"
