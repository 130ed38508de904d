"""Names that try to be more than names, and a network that is full of them."""

from __future__ import annotations

from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval, Missing, Predicate, one_of

HOSTILE = (
    'x"; DROP TABLE t; --',
    "x'; DROP TABLE t; --",
    "]]>",
    "*/ #error /*",
    "`id`",
    "${jndi:ldap}",
    "%s %(x)s {0} {{x}} {x}",
    "two\nlines\r\n",
    "nul\0nul",
    "\\",
    "\\' OR 1=1 --",
    "'''\"\"\"",
    "</script><script>alert(1)</script>",
    "<!-- -->",
    "what??/",
    "\\input{secret} \\end{longtable} % $ # & ~ ^ _",
    "| a | b | [x](javascript:alert(1)) **b**",
    "😀 emoji",
    "\u202edetrevni\u2066",
    "\u2028\u2029\x85\x0b\x1b[2J",
    "select",
    "constructor",
    "__proto__",
    "é",
    "É",
    " blanks ",
    "name." + "x" * 300,
)


def hostile_network(names: tuple[str, ...] = HOSTILE) -> RuleNetwork:
    """Each name is a column, a category and a class; two levels."""
    columns = [Column(name, "number" if place % 3 == 2 else "category", ()) for place, name in enumerate(names)]
    columns = [Column(each.name, each.kind, () if each.ordered else names, True) for each in columns]
    predicates: list[Predicate] = []
    for place, column in enumerate(columns):
        value = names[(place + 1) % len(names)]
        both = one_of(column, (value, names[(place + 2) % len(names)]))
        test = Equals(column.name, value) if place % 3 else both
        predicates.append(Interval(column.name, 0.1, 0.3) if column.ordered else test)
        predicates.append(Missing(column.name))
    rules = [
        Rule([Literal(2 * place), Literal((2 * place + 3) % len(predicates), True)]) for place in range(len(names))
    ]
    bottom = Level(rules, [Concept([place]) for place in range(len(names))])
    top = Level(
        [Rule([Literal(place)]) for place in range(len(names))], [Concept([place]) for place in range(len(names))]
    )
    return RuleNetwork(columns, predicates, [bottom, top], names, default=names[-1])
