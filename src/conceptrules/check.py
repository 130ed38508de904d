"""Check the certificate of a proof: `python -m conceptrules.check model.json policy.toml certificate.json`.

Without the policy file, the policy that the model carries is meant.

This program shares no code with what found the proof, and needs nothing but Python's standard library: the file can be
copied anywhere and run by its path. It works out itself what each clause claims, and follows the splits of the
certificate. A leaf is accepted only if the claim holds there whatever is still unknown. It prints a line for each
clause; the exit code is 0 if all are confirmed, 1 if one is not, and 2 if a file cannot be read. Clauses about given
rows (least rows, precision, fairness) are no part of a certificate: it says that they are left out.
"""

import hashlib
import json
import math
import re
import sys
import tomllib
from datetime import datetime, timedelta
from functools import partial
from itertools import combinations, pairwise
from operator import eq

KEYS = ("classes", "priority", "default", "columns", "predicates", "levels")
ON_ROWS = ("min_rows", "min_precision", "confidence", "fair", "cost", "order", "domain")
KNOWN = {"monotone", "independent", "forbidden", "apart", "only_for", "locked", "banned", "default", "priority",
         "max_edges", "max_rules", "max_literals", "implies", *ON_ROWS}  # fmt: skip
QUOTED = r'"(?:[^"\\]|\\.)*"'
OPERATOR = re.compile(rf"{QUOTED}| (<=|>=|!=|<|>|=|is|not in(?= \{{)|in(?= \{{)) ")
ORDERED = ("number", "date", "datetime", "duration")


class Rejected(Exception):
    """A claim that the certificate does not show."""


def need(condition, message):
    if not condition:
        raise Rejected(message)


def hashed(content):
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def infinite(value):
    """Plain values, with numbers for the objects that stand for infinities in JSON."""
    if isinstance(value, dict):
        if set(value) == {"infinity"} and isinstance(value["infinity"], bool):
            return math.inf if value["infinity"] else -math.inf
        return {key: infinite(one) for key, one in value.items()}
    return list(map(infinite, value)) if isinstance(value, list) else value


class Model:
    """The network of a model file, and the cells of its columns."""

    def __init__(self, model, domain, cells):
        self.classes, self.priority, self.default = model["classes"], model["priority"], model["default"]
        self.domain = domain
        self.columns = {column["name"]: column for column in model["columns"]}
        self.cells = {name: self.cells_of(column, cells[name]) for name, column in self.columns.items()}
        for name, (low, high) in domain.get("ranges", {}).items():
            self.fine({"kind": "interval", "column": name, "low": math.nextafter(low, -math.inf), "high": high})
        self.levels, self.lengths, self.edges = [], [], 0
        for depth, level in enumerate(model["levels"]):
            rules = [
                self.rule(rule, {one["name"]: one for one in model["predicates"]}, depth) for rule in level["rules"]
            ]
            members = [[i for i, r in enumerate(level["rules"]) if name in r["for"]] for name in level["concepts"]]
            self.edges += sum(map(len, members))
            self.levels.append((rules, members, level["concepts"]))

    def rule(self, rule, tests, depth):
        """A rule of the first level as the region where it holds, and others as pairs (concept, negated)."""
        literals = [(name, False) for name in rule["all"]] + [(name, True) for name in rule["none"]]
        self.lengths.append(len(literals))
        self.edges += sum(1 if depth else self.size(tests[name]) for name, _ in literals)
        return literals if depth else self.region([(tests[name], no) for name, no in literals])

    def region(self, literals):
        """Where (test, negated) hold together: the cells of each column that they ask about."""
        found = {}
        for test, no in literals:
            self.fine(test)
            cells = found.get(test["column"], range(len(self.cells[test["column"]])))
            found[test["column"]] = {cell for cell in cells if self.holds(test, cell) != no}
        return found

    def size(self, test):
        """The edges of a literal: a set counts its values, or its ends in the order of the column."""
        if test["kind"] != "one_of":
            return 1
        column, values = self.columns[test["column"]], test["values"]
        order = column["categories"] if column["kind"] == "ordinal" and values[0] in column["categories"] else []
        start = order.index(values[0]) if order else 0
        if not order or order[start : start + len(values)] != values:
            return len(values)
        return 2 if start > 0 and start + len(values) < len(order) else 1

    def cells_of(self, column, given):
        """The cells of a column as (kind, value): intervals or categories, any other category, and missing."""
        if column["kind"] in ORDERED:
            cuts = given["cuts"]
            need(all(a < b for a, b in pairwise(cuts)), f"the cuts of {column['name']!r} do not ascend")
            cells = [("between", ends) for ends in zip([-math.inf, *cuts], [*cuts, math.inf], strict=True)]
            return [*cells, ("missing", None)]
        values = given["values"]
        first = [False, True] if column["kind"] == "boolean" else []
        first = column["categories"] if column["kind"] == "ordinal" else first
        need(values[: len(first)] == first, f"the cells of {column['name']!r} are not in its order")
        need(all(a != b for a, b in combinations(values, 2)), f"a category of {column['name']!r} has two cells")
        return [*(("is", value) for value in values), ("other", None), ("missing", None)]

    def fine(self, test):
        """Reject cells that a test cuts through."""
        cells = self.cells[test["column"]]
        if test["kind"] == "interval":
            cuts = {cell[1][1] for cell in cells if cell[0] == "between"}
            ends = [end for end in (test["low"], test["high"]) if end is not None and not math.isinf(end)]
            need(all(end in cuts for end in ends), f"the cells of {test['column']!r} are too coarse")
        values = [test["value"]] if test["kind"] == "equals" else test.get("values", [])
        need(all(("is", one) in cells for one in values), f"the cells of {test['column']!r} are too coarse")

    def holds(self, test, cell):
        kind, value = self.cells[test["column"]][cell]
        if test["kind"] == "missing":
            return kind == "missing"
        if test["kind"] == "interval":
            low = -math.inf if test["low"] is None else test["low"]
            high = math.inf if test["high"] is None else test["high"]
            return kind == "between" and low <= value[0] and value[1] <= high
        wanted = [test["value"]] if test["kind"] == "equals" else test["values"]
        return kind == "is" and value in wanted

    def real(self, name, cell):
        """Whether a column can hold a value of a cell at all."""
        column, (kind, value) = self.columns[name], self.cells[name][cell]
        if kind == "between":
            return column["kind"] == "number" or math.isinf(value[1]) or math.floor(value[1]) > value[0]
        known = column["categories"] if column["kind"] in ("category", "ordinal") else []
        if kind == "is":
            return not known or isinstance(value, str) == isinstance(known[0], str)
        return kind == "missing" or column["kind"] != "boolean"

    def possible(self, name):
        """The cells that a possible row can be in."""
        column, gaps = self.columns[name], self.domain.get("missing", True)
        known = column["categories"] if column["kind"] in ("category", "ordinal") else []
        low, high = self.domain.get("ranges", {}).get(name, (-math.inf, math.inf))
        listed = [value for kind, value in self.cells[name] if kind == "is"]
        closed = bool(known) and not self.domain.get("unseen", True)
        found = []
        for cell, (kind, value) in enumerate(self.cells[name]):
            if kind == "between":
                there = math.nextafter(low, -math.inf) <= value[0] and value[1] <= high
            elif kind == "is":
                there = not closed or value in known
            elif kind == "other":
                there = not closed or any(value not in listed for value in known)
            else:
                there = gaps if isinstance(gaps, bool) else name in gaps
            if there and self.real(name, cell):
                found.append(cell)
        return found

    def read(self, text):
        """The region of a rule in words."""
        parts, start = [], 0
        for mark in re.finditer(rf"{QUOTED}|( and )|$", text):
            if mark[1] or mark.start() == len(text):
                parts, start = [*parts, text[start : mark.start()].strip()], mark.end()
        return self.region([] if text.strip() == "always" else map(self.condition, parts))

    def condition(self, text):
        no = False
        while text.startswith("not ") or (text.startswith("(") and text.endswith(")")):
            no, text = (not no, text[4:].strip()) if text.startswith("not ") else (no, text[1:-1].strip())
        marks = [mark for mark in OPERATOR.finditer(text) if mark[1]]
        need(marks, f"cannot read the condition {text!r}")
        mark = marks[0]
        if len(marks) == 2:
            name, low = text[mark.end() : marks[1].start()], (mark[1] == "<=", text[: mark.start()])
            return self.between(name, low, (marks[1][1] == "<", text[marks[1].end() :])), no
        name, sign, value = text[: mark.start()], mark[1], text[mark.end() :]
        if sign in ("<", "<=", ">", ">="):
            bound = (sign in ("<", ">="), value)
            return self.between(name, None if sign[0] == "<" else bound, bound if sign[0] == "<" else None), no
        column = self.column(name)
        if sign == "is":
            need(value in ("missing", "present"), f"cannot read the condition {text!r}")
            return {"kind": "missing", "column": column["name"]}, no != (value == "present")
        values = re.findall(rf"(?:{QUOTED}|(?!, ).)+", value[1:-1]) if "in" in sign else [value]
        test = {"kind": "one_of", "column": column["name"], "values": [self.value(column, one) for one in values]}
        return test, no != (sign in ("!=", "not in"))

    def column(self, name):
        name = json.loads(name) if name.strip().startswith('"') else name.strip()
        need(name in self.columns, f"there is no column {name!r}")
        return self.columns[name]

    def value(self, column, text):
        text, known = text.strip(), column["categories"]
        if text.startswith('"'):
            return json.loads(text)
        if known and all(isinstance(value, str) for value in known):
            return text
        numbers = {"True": True, "False": False}
        return numbers[text] if text in numbers else float(text) if re.fullmatch(r"-?[\d.e+-]+", text) else text

    def between(self, name, low, high):
        column = self.column(name)
        if column["kind"] == "ordinal":
            order = column["categories"]
            ends = [end and order.index(self.value(column, end[1])) + (0 if end[0] else 1) for end in (low, high)]
            return {"kind": "one_of", "column": column["name"], "values": order[ends[0] : ends[1]]}
        need(column["kind"] != "duration", f"bounds of {name!r}: those of durations cannot be checked")
        ends = [end and (end[0], number(column, end[1])) for end in (low, high)]
        ends = [end and (math.nextafter(end[1], -math.inf) if end[0] else end[1]) for end in ends]
        return {"kind": "interval", "column": column["name"], "low": ends[0], "high": ends[1]}


def number(column, text):
    """A bound as the column reads it: dates are microseconds since 1970."""
    if column["kind"] == "number":
        return float(text)
    return float((datetime.fromisoformat(text.strip()) - datetime(1970, 1, 1)) // timedelta(microseconds=1))


# A node has a set of pairs of values: what it can be on two rows that differ in one column only.

UNKNOWN, YES, NO = frozenset({(0, 0), (1, 1)}), frozenset({(1, 1)}), frozenset({(0, 0)})


def both(one, other):
    return frozenset((a & c, b & d) for a, b in one for c, d in other)


def opposite(one):
    return frozenset((1 - a, 1 - b) for a, b in one)


def every(nodes):
    result = YES
    for node in nodes:
        result = both(result, node)
    return result


class Claim:
    """For two rows (or one): where the first gets a class of an event, the second does. Or: premise, then event."""

    def __init__(self, model, events, premise=None, column=None, cells=(0, 0)):
        self.model, self.events, self.premise, self.column, self.ends = model, events, premise, column, cells
        self.impossible = [model.read(text) for text in model.domain.get("impossible", [])]

    def conjunction(self, region, box):
        result = YES
        for name, cells in region.items():
            if name == self.column:
                found = frozenset([tuple(int(cell in cells) for cell in self.ends)])
            else:
                found = YES if cells.issuperset(box[name]) else NO if cells.isdisjoint(box[name]) else UNKNOWN
            result = both(result, found)
        return result

    def shown(self, box):
        if not all(box.values()):
            return True
        can = every(opposite(self.conjunction(rule, box)) for rule in self.impossible)
        if (1, 1) not in can:
            return True
        nodes = {}
        for depth, (rules, members, names) in enumerate(self.model.levels):
            held = [
                every(opposite(nodes[name]) if no else nodes[name] for name, no in rule) if depth
                else self.conjunction(rule, box) for rule in rules
            ]  # fmt: skip
            found = [opposite(every(opposite(held[i]) for i in some)) for some in members]
            nodes = dict(zip(names, found, strict=True))
        given = both(can, self.conjunction(self.premise, box)) if self.premise is not None else None
        for event in self.events:
            decided = YES if self.model.default in event else NO
            for label in reversed(self.model.priority):
                silent = both(opposite(nodes[label]), opposite(decided) if label in event else decided)
                decided = opposite(silent) if label in event else silent
            wrong = (1, 0) in decided if given is None else (1, 1) in both(given, opposite(decided))
            if wrong:
                return False
        return True

    def follow(self, tree, box):
        if tree is None:
            need(self.shown(box), "a leaf of the certificate does not show the claim")
            return
        name, cells, inside, outside = tree
        need(name in box, f"the certificate splits {name!r}")
        self.follow(inside, {**box, name: [cell for cell in box[name] if cell in cells]})
        self.follow(outside, {**box, name: [cell for cell in box[name] if cell not in cells]})


def claims(model, policy, key, item):
    """The claims of a clause about decisions."""
    if key in ("implies", "locked"):
        return [Claim(model, [{item.get("then", item.get("class"))}], model.read(item.get("if", item.get("rule"))))]
    name, asked = item
    if key == "independent" and name not in model.columns:
        return []
    kinds, possible = model.cells[name], model.possible(name)
    if key == "monotone":
        asked = {"direction": asked} if isinstance(asked, str) else asked
        order = asked.get("order") or policy.get("order") or model.classes
        need(sorted(map(str, order)) == sorted(map(str, model.classes)), f"the order of {name!r} is not of all classes")
        events = [set(order[place:]) for place in range(1, len(order))]
        need(model.columns[name]["kind"] != "category", f"{name!r} has no order")
        gap = [cell for cell in possible if kinds[cell][0] == "missing" and asked.get("missing") == "lowest"]
        chain = gap + [cell for cell in possible if kinds[cell][0] in ("between", "is")]
        need(asked.get("direction") in ("up", "down"), f"{name!r} has no direction")
    else:
        events, chain, asked = [{label} for label in model.classes], possible, {}
    skips = any(name in model.read(rule) for rule in model.domain.get("impossible", []))
    pairs = list(combinations(chain, 2) if skips else pairwise(chain))
    turn = -1 if asked.get("direction") == "down" else 1
    return [Claim(model, events, None, name, pair[::turn]) for pair in pairs]


def clauses(policy):
    """The clauses of a policy, as (key, name, item)."""
    for key, value in policy.items():
        if key in ("monotone", "only_for"):
            yield from ((key, f"{key}.{name}", (name, item)) for name, item in value.items())
        elif key in ("independent", "forbidden"):
            yield from ((key, f"{key}.{name}", (name, None)) for name in value)
        elif key == "apart":
            yield from ((key, f"apart.{one}.{other}", (one, other)) for one, other in value)
        elif key == "banned":
            yield from ((key, f"banned.{item['class']}.{item['rule']}", item) for item in value)
        elif key in ("implies", "locked"):
            yield from ((key, f"{key}.{item.get('if', item.get('rule'))}", item) for item in value)
        elif key not in ON_ROWS:
            yield key, key, value


def structure(model, key, item):
    """Whether the rules themselves satisfy a clause."""
    below, asked = {}, []
    for depth, (rules, members, names) in enumerate(model.levels):
        some = [set().union(*(below[name] for name, _ in rule)) if depth else set(rule) for rule in rules]
        asked += some
        below = {name: set().union(*(some[i] for i in mine)) for name, mine in zip(names, members, strict=True)}
    if key in ("forbidden", "apart"):
        return not any({name for name in item if name is not None} <= found for found in asked)
    if key == "only_for":
        return all(item[0] not in columns for label, columns in below.items() if label not in item[1])
    if key in ("default", "priority"):
        return getattr(model, key) == item
    if key == "max_literals":
        return all(length <= item for length in model.lengths)
    return (len(model.lengths) if key == "max_rules" else model.edges) <= item


def has(model, item, alike):
    """Whether a class has a rule like that of a clause, perhaps passed on by concepts."""
    wanted, found = model.read(item["rule"]), set()
    for depth, (rules, members, names) in enumerate(model.levels):
        mine = [rule in [[(name, False)] for name in found] if depth else alike(rule, wanted) for rule in rules]
        found = {name for name, some in zip(names, members, strict=True) if any(mine[i] for i in some)}
    return item["class"] in found


def inside(model, rule, region):
    """Whether a rule holds only in the cells of a region."""
    held = {name: rule.get(name, range(len(model.cells[name]))) for name in region}
    return all(cell in region[name] for name in held for cell in held[name] if model.real(name, cell))


def check(model, policy, certificate):
    """Yield for each clause its name and why it is not confirmed, or None."""
    need(certificate.get("format") == "conceptrules certificate", "this is no certificate")
    need(certificate["model"] == hashed({key: model[key] for key in KEYS}), "the certificate is of another model")
    need(certificate["policy"] == hashed(policy), "the certificate is of another policy")
    model, policy, certificate = infinite(model), infinite(policy), infinite(certificate)
    need(set(policy) <= KNOWN, f"unknown keys: {sorted(set(policy) - KNOWN)}")
    network = Model(model, policy.get("domain", {}), certificate["cells"])
    for key, name, item in clauses(policy):
        try:
            decides = key in ("monotone", "independent", "implies") or (
                key == "locked" and item.get("mode") == "decides"
            )
            if key == "locked":
                need(has(network, item, eq), "there is no such rule")
            elif key == "banned":
                need(not has(network, item, partial(inside, network)), "a rule of the class lies inside")
            elif not decides:
                need(structure(network, key, item), "the rules do not satisfy it")
            if decides:
                some, trees = claims(network, policy, key, item), certificate["clauses"].get(name)
                need(trees is not None, "the certificate does not prove it")
                need(len(trees) == len(some), "the certificate proves another number of claims")
                for claim, tree in zip(some, trees, strict=True):
                    names = [one for one in network.columns if one != claim.column]
                    claim.follow(tree, {one: network.possible(one) for one in names})
            yield name, None
        except Rejected as error:
            yield name, str(error)


def main(arguments):
    if len(arguments) not in (2, 3):
        print("usage: check.py model.json [policy.toml] certificate.json", file=sys.stderr)
        return 2
    try:
        with open(arguments[0], encoding="utf-8-sig") as one, open(arguments[-1], encoding="utf-8") as two:
            model, certificate = json.load(one), json.load(two)
        policy = None
        if len(arguments) == 3:
            with open(arguments[1], "rb") as file:
                policy = tomllib.load(file)
    except (OSError, ValueError, RecursionError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    try:
        policy = model["policy"] if policy is None else policy
        found = list(check(model, policy, certificate))
    except Rejected as error:
        print(f"rejected: {error}")
        return 1
    except (KeyError, ValueError, TypeError, IndexError, AttributeError, RecursionError) as error:
        print(f"rejected: the files do not fit together ({type(error).__name__}: {error})")
        return 1
    for name, why in found:
        print(f"confirmed: {name}" if why is None else f"rejected: {name}: {why}")
    left = [key for key in policy if key in ("min_rows", "min_precision", "fair")]
    if left:
        print(f"left out, since it is about given rows: {', '.join(left)}")
    return 1 if any(why for _, why in found) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
