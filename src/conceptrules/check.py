"""Check the certificate of a proof: `python -m conceptrules.check model.json policy.toml certificate.json`.

Without a policy file, it checks the policy that the model carries.

This program shares no code with what found the proof, and needs nothing but Python's standard library: the file can be
copied anywhere and run by its path. It works out itself what each clause claims, and follows the splits of the
certificate. A leaf is accepted only if the claim holds there whatever is still unknown. It prints a line for each
clause; the exit code is 0 if all are confirmed, 1 if one is not, and 2 if a file cannot be read. Clauses about given
rows (least rows, precision, fairness) are not part of a certificate, and it says that they are left out.
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

DECIDING_KEYS = ("classes", "priority", "default", "columns", "predicates", "levels")
NOT_PROVED_KEYS = ("min_rows", "min_precision", "confidence", "fair", "cost", "order", "better", "domain")
KNOWN_KEYS = {"monotone", "independent", "forbidden", "apart", "only_for", "locked", "banned", "default", "priority",
         "max_edges", "max_rules", "max_literals", "implies", *NOT_PROVED_KEYS}  # fmt: skip
QUOTED = r'"(?:[^"\\]|\\.)*"'
OPERATOR = re.compile(rf"{QUOTED}| (<=|>=|!=|<|>|=|is|not in(?= \{{)|in(?= \{{)) ")
ORDERED = ("number", "date", "datetime", "duration")


class Rejected(Exception):
    """A claim that the certificate does not show."""


def require(condition, message):
    if not condition:
        raise Rejected(message)


def hash_plain(content):
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def restore_infinities(value):
    """Return plain values with infinities in place of the objects that stand for them in JSON."""
    if isinstance(value, dict):
        if set(value) == {"infinity"} and isinstance(value["infinity"], bool):
            return math.inf if value["infinity"] else -math.inf
        return {key: restore_infinities(item) for key, item in value.items()}
    return list(map(restore_infinities, value)) if isinstance(value, list) else value


class Model:
    """The network of a model file, and the cells of its columns."""

    def __init__(self, model, domain, cells):
        require("head" not in model, "the model is a scorecard, of which no certificate speaks yet")
        self.classes, self.priority, self.default = model["classes"], model["priority"], model["default"]
        self.domain = domain
        self.columns = {column["name"]: column for column in model["columns"]}
        self.cells = {name: self.cells_of(column, cells[name]) for name, column in self.columns.items()}
        for name, (low, high) in domain.get("ranges", {}).items():
            lowest = math.nextafter(low, -math.inf)
            self.require_fine_cells({"kind": "interval", "column": name, "low": lowest, "high": high})
        self.levels, self.lengths, self.edges = [], [], 0
        tests = {test["name"]: test for test in model["predicates"]}
        for depth, level in enumerate(model["levels"]):
            rules = [self.convert_rule(rule, tests, depth) for rule in level["rules"]]
            members = [[i for i, r in enumerate(level["rules"]) if name in r["for"]] for name in level["concepts"]]
            self.edges += sum(map(len, members))
            self.levels.append((rules, members, level["concepts"]))

    def convert_rule(self, rule, tests, depth):
        """Return a rule of the first level as the region where it holds, and others as pairs (concept, negated)."""
        literals = [(name, False) for name in rule["all"]] + [(name, True) for name in rule["none"]]
        self.lengths.append(len(literals))
        self.edges += sum(1 if depth else self.count_edges(tests[name]) for name, _ in literals)
        return literals if depth else self.find_region([(tests[name], negated) for name, negated in literals])

    def find_region(self, literals):
        """Return where pairs (test, negated) hold together: the cells of each column that they ask about."""
        region = {}
        for test, negated in literals:
            self.require_fine_cells(test)
            cells = region.get(test["column"], range(len(self.cells[test["column"]])))
            region[test["column"]] = {cell for cell in cells if self.holds(test, cell) != negated}
        return region

    def count_edges(self, test):
        """Return the edges of a literal: a set counts its values, or its ends in the order of the column."""
        if test["kind"] != "one_of":
            return 1
        column, values = self.columns[test["column"]], test["values"]
        order = column["categories"] if column["kind"] == "ordinal" and values[0] in column["categories"] else []
        start = order.index(values[0]) if order else 0
        if not order or order[start : start + len(values)] != values:
            return len(values)
        return 2 if start > 0 and start + len(values) < len(order) else 1

    def cells_of(self, column, stated):
        """Return the cells of a column as (kind, value): intervals or categories, any other category, and missing."""
        if column["kind"] in ORDERED:
            cuts = stated["cuts"]
            require(all(a < b for a, b in pairwise(cuts)), f"the cuts of {column['name']!r} do not ascend")
            cells = [("between", ends) for ends in zip([-math.inf, *cuts], [*cuts, math.inf], strict=True)]
            return [*cells, ("missing", None)]
        values = stated["values"]
        first = [False, True] if column["kind"] == "boolean" else []
        first = column["categories"] if column["kind"] == "ordinal" else first
        require(values[: len(first)] == first, f"the cells of {column['name']!r} are not in its order")
        require(all(a != b for a, b in combinations(values, 2)), f"a category of {column['name']!r} has two cells")
        return [*(("is", value) for value in values), ("other", None), ("missing", None)]

    def require_fine_cells(self, test):
        """Reject cells that a test cuts through."""
        cells = self.cells[test["column"]]
        if test["kind"] == "interval":
            cuts = {cell[1][1] for cell in cells if cell[0] == "between"}
            ends = [end for end in (test["low"], test["high"]) if end is not None and not math.isinf(end)]
            require(all(end in cuts for end in ends), f"the cells of {test['column']!r} are too coarse")
        values = [test["value"]] if test["kind"] == "equals" else test.get("values", [])
        require(all(("is", value) in cells for value in values), f"the cells of {test['column']!r} are too coarse")

    def holds(self, test, cell):
        kind, value = self.cells[test["column"]][cell]
        if test["kind"] == "missing":
            return kind == "missing"
        if test["kind"] == "interval":
            low = -math.inf if test["low"] is None else test["low"]
            high = math.inf if test["high"] is None else test["high"]
            return kind == "between" and low <= value[0] and value[1] <= high
        categories = [test["value"]] if test["kind"] == "equals" else test["values"]
        return kind == "is" and value in categories

    def can_hold(self, name, cell):
        """Return whether a column can hold a value of a cell at all."""
        column, (kind, value) = self.columns[name], self.cells[name][cell]
        if kind == "between":
            return column["kind"] == "number" or math.isinf(value[1]) or math.floor(value[1]) > value[0]
        known = column["categories"] if column["kind"] in ("category", "ordinal") else []
        if kind == "is":
            return not known or isinstance(value, str) == isinstance(known[0], str)
        return kind == "missing" or column["kind"] != "boolean"

    def possible_cells(self, name):
        """Return the cells that a possible row can be in."""
        column, missing = self.columns[name], self.domain.get("missing", True)
        known = column["categories"] if column["kind"] in ("category", "ordinal") else []
        low, high = self.domain.get("ranges", {}).get(name, (-math.inf, math.inf))
        listed = [value for kind, value in self.cells[name] if kind == "is"]
        closed = bool(known) and not self.domain.get("unseen", True)
        cells = []
        for cell, (kind, value) in enumerate(self.cells[name]):
            if kind == "between":
                possible = math.nextafter(low, -math.inf) <= value[0] and value[1] <= high
            elif kind == "is":
                possible = not closed or value in known
            elif kind == "other":
                possible = not closed or any(value not in listed for value in known)
            else:
                possible = missing if isinstance(missing, bool) else name in missing
            if possible and self.can_hold(name, cell):
                cells.append(cell)
        return cells

    def read_rule(self, text):
        """Return the region of a rule in words."""
        parts, start = [], 0
        for mark in re.finditer(rf"{QUOTED}|( and )|$", text):
            if mark[1] or mark.start() == len(text):
                parts, start = [*parts, text[start : mark.start()].strip()], mark.end()
        return self.find_region([] if text.strip() == "always" else map(self.read_condition, parts))

    def read_condition(self, text):
        negated = False
        while text.startswith("not ") or (text.startswith("(") and text.endswith(")")):
            negated = negated != text.startswith("not ")
            text = (text[4:] if text.startswith("not ") else text[1:-1]).strip()
        marks = [mark for mark in OPERATOR.finditer(text) if mark[1]]
        require(marks, f"cannot read the condition {text!r}")
        mark = marks[0]
        if len(marks) == 2:
            name, low = text[mark.end() : marks[1].start()], (mark[1] == "<=", text[: mark.start()])
            return self.read_interval(name, low, (marks[1][1] == "<", text[marks[1].end() :])), negated
        name, sign, value = text[: mark.start()], mark[1], text[mark.end() :]
        if sign in ("<", "<=", ">", ">="):
            bound = (sign in ("<", ">="), value)
            low, high = (None, bound) if sign[0] == "<" else (bound, None)
            return self.read_interval(name, low, high), negated
        column = self.find_column(name)
        if sign == "is":
            require(value in ("missing", "present"), f"cannot read the condition {text!r}")
            return {"kind": "missing", "column": column["name"]}, negated != (value == "present")
        values = re.findall(rf"(?:{QUOTED}|(?!, ).)+", value[1:-1]) if "in" in sign else [value]
        values = [self.read_value(column, part) for part in values]
        return {"kind": "one_of", "column": column["name"], "values": values}, negated != (sign in ("!=", "not in"))

    def find_column(self, name):
        name = json.loads(name) if name.strip().startswith('"') else name.strip()
        require(name in self.columns, f"there is no column {name!r}")
        return self.columns[name]

    def read_value(self, column, text):
        text, known = text.strip(), column["categories"]
        if text.startswith('"'):
            return json.loads(text)
        if known and all(isinstance(value, str) for value in known):
            return text
        numbers = {"True": True, "False": False}
        return numbers[text] if text in numbers else float(text) if re.fullmatch(r"-?[\d.e+-]+", text) else text

    def read_interval(self, name, low, high):
        column = self.find_column(name)
        if column["kind"] == "ordinal":
            order = column["categories"]
            ends = [end and order.index(self.read_value(column, end[1])) + (0 if end[0] else 1) for end in (low, high)]
            return {"kind": "one_of", "column": column["name"], "values": order[ends[0] : ends[1]]}
        require(column["kind"] != "duration", f"bounds of {name!r}: those of durations cannot be checked")
        ends = [end and (end[0], read_number(column, end[1])) for end in (low, high)]
        ends = [end and (math.nextafter(end[1], -math.inf) if end[0] else end[1]) for end in ends]
        return {"kind": "interval", "column": column["name"], "low": ends[0], "high": ends[1]}


def read_number(column, text):
    """Return a bound as the column reads it: dates are microseconds since 1970."""
    if column["kind"] == "number":
        return float(text)
    return float((datetime.fromisoformat(text.strip()) - datetime(1970, 1, 1)) // timedelta(microseconds=1))


# A node has a set of pairs of values: what it can be on two rows that differ in one column only.

UNKNOWN, YES, NO = frozenset({(0, 0), (1, 1)}), frozenset({(1, 1)}), frozenset({(0, 0)})


def conjoin(first, second):
    return frozenset((a & c, b & d) for a, b in first for c, d in second)


def negate(node):
    return frozenset((1 - a, 1 - b) for a, b in node)


def conjoin_all(nodes):
    result = YES
    for node in nodes:
        result = conjoin(result, node)
    return result


class CertifiedClaim:
    """A claim that the certificate has to show.

    About two rows: where the first gets a class of an event, so does the second. About one row: where the premise
    holds, it gets a class of the event.
    """

    def __init__(self, model, events, premise=None, column=None, cells=(0, 0)):
        self.model, self.events, self.premise, self.column, self.ends = model, events, premise, column, cells
        self.impossible = [model.read_rule(text) for text in model.domain.get("impossible", [])]

    def evaluate_region(self, region, box):
        result = YES
        for name, cells in region.items():
            if name == self.column:
                pairs = frozenset([tuple(int(cell in cells) for cell in self.ends)])
            else:
                pairs = YES if cells.issuperset(box[name]) else NO if cells.isdisjoint(box[name]) else UNKNOWN
            result = conjoin(result, pairs)
        return result

    def is_shown(self, box):
        if not all(box.values()):
            return True
        possible = conjoin_all(negate(self.evaluate_region(rule, box)) for rule in self.impossible)
        if (1, 1) not in possible:
            return True
        nodes = {}
        for depth, (rules, members, names) in enumerate(self.model.levels):
            values = [
                conjoin_all(negate(nodes[name]) if negated else nodes[name] for name, negated in rule) if depth
                else self.evaluate_region(rule, box) for rule in rules
            ]  # fmt: skip
            concepts = [negate(conjoin_all(negate(values[i]) for i in numbers)) for numbers in members]
            nodes = dict(zip(names, concepts, strict=True))
        premise = conjoin(possible, self.evaluate_region(self.premise, box)) if self.premise is not None else None
        for event in self.events:
            decided = YES if self.model.default in event else NO
            for label in reversed(self.model.priority):
                silent = conjoin(negate(nodes[label]), negate(decided) if label in event else decided)
                decided = negate(silent) if label in event else silent
            fails = (1, 0) in decided if premise is None else (1, 1) in conjoin(premise, negate(decided))
            if fails:
                return False
        return True

    def follow_tree(self, tree, box):
        if tree is None:
            require(self.is_shown(box), "a leaf of the certificate does not show the claim")
            return
        name, cells, inside, outside = tree
        require(name in box, f"the certificate splits {name!r}")
        self.follow_tree(inside, {**box, name: [cell for cell in box[name] if cell in cells]})
        self.follow_tree(outside, {**box, name: [cell for cell in box[name] if cell not in cells]})


def list_claims(model, policy, key, item):
    """Return the claims of a clause about decisions."""
    if key in ("implies", "locked"):
        label, rule = item.get("then", item.get("class")), item.get("if", item.get("rule"))
        return [CertifiedClaim(model, [{label}], model.read_rule(rule))]
    name, options = item
    if key == "independent" and name not in model.columns:
        return []
    kinds, possible = model.cells[name], model.possible_cells(name)
    if key == "monotone":
        options = {"direction": options} if isinstance(options, str) else options
        ranks = options if options.get("order") or "better" in options else policy
        order = ranks.get("order") or [*(c for c in model.classes if c != ranks["better"]), ranks["better"]]
        complete = sorted(map(str, order)) == sorted(map(str, model.classes))
        require(complete, f"the order of {name!r} does not list all classes")
        events = [set(order[start:]) for start in range(1, len(order))]
        require(model.columns[name]["kind"] != "category", f"{name!r} has no order")
        lowest = [cell for cell in possible if kinds[cell][0] == "missing" and options.get("missing") == "lowest"]
        chain = lowest + [cell for cell in possible if kinds[cell][0] in ("between", "is")]
        require(options.get("direction") in ("up", "down"), f"{name!r} has no direction")
    else:
        events, chain, options = [{label} for label in model.classes], possible, {}
    skips = any(name in model.read_rule(rule) for rule in model.domain.get("impossible", []))
    pairs = list(combinations(chain, 2) if skips else pairwise(chain))
    turn = -1 if options.get("direction") == "down" else 1
    return [CertifiedClaim(model, events, None, name, pair[::turn]) for pair in pairs]


def list_clauses(policy):
    """Yield the clauses of a policy, as (key, name, item)."""
    for key, value in policy.items():
        if key in ("monotone", "only_for"):
            yield from ((key, f"{key}.{name}", (name, item)) for name, item in value.items())
        elif key in ("independent", "forbidden"):
            yield from ((key, f"{key}.{name}", (name, None)) for name in value)
        elif key == "apart":
            yield from ((key, f"apart.{first}.{second}", (first, second)) for first, second in value)
        elif key == "banned":
            yield from ((key, f"banned.{item['class']}.{item['rule']}", item) for item in value)
        elif key in ("implies", "locked"):
            yield from ((key, f"{key}.{item.get('if', item.get('rule'))}", item) for item in value)
        elif key not in NOT_PROVED_KEYS:
            yield key, key, value


def satisfies_structure(model, key, item):
    """Return whether the rules themselves satisfy a clause."""
    below, tested = {}, []
    for depth, (rules, members, names) in enumerate(model.levels):
        by_rule = [set().union(*(below[name] for name, _ in rule)) if depth else set(rule) for rule in rules]
        tested += by_rule
        by_concept = [set().union(*(by_rule[i] for i in numbers)) for numbers in members]
        below = dict(zip(names, by_concept, strict=True))
    if key in ("forbidden", "apart"):
        return not any({name for name in item if name is not None} <= columns for columns in tested)
    if key == "only_for":
        return all(item[0] not in columns for label, columns in below.items() if label not in item[1])
    if key in ("default", "priority"):
        return getattr(model, key) == item
    if key == "max_literals":
        return all(length <= item for length in model.lengths)
    return (len(model.lengths) if key == "max_rules" else model.edges) <= item


def has_rule(model, item, alike):
    """Return whether a class has a rule like that of a clause, perhaps passed on by concepts."""
    region, passing = model.read_rule(item["rule"]), set()
    for depth, (rules, members, names) in enumerate(model.levels):
        matching = [rule in [[(name, False)] for name in passing] if depth else alike(rule, region) for rule in rules]
        passing = {name for name, numbers in zip(names, members, strict=True) if any(matching[i] for i in numbers)}
    return item["class"] in passing


def lies_inside(model, rule, region):
    """Return whether a rule holds only in the cells of a region."""
    cells = {name: rule.get(name, range(len(model.cells[name]))) for name in region}
    return all(cell in region[name] for name in cells for cell in cells[name] if model.can_hold(name, cell))


def check(model, policy, certificate):
    """Yield for each clause its name and why it is not confirmed, or None."""
    require(certificate.get("format") == "conceptrules certificate", "this is not a certificate")
    deciding = hash_plain({key: model[key] for key in DECIDING_KEYS})
    require(certificate["model"] == deciding, "the certificate belongs to another model")
    require(certificate["policy"] == hash_plain(policy), "the certificate belongs to another policy")
    model, policy, certificate = restore_infinities(model), restore_infinities(policy), restore_infinities(certificate)
    require(set(policy) <= KNOWN_KEYS, f"unknown keys: {sorted(set(policy) - KNOWN_KEYS)}")
    network = Model(model, policy.get("domain", {}), certificate["cells"])
    for key, name, item in list_clauses(policy):
        try:
            decides = key in ("monotone", "independent", "implies") or (
                key == "locked" and item.get("mode") == "decides"
            )
            if key == "locked":
                require(has_rule(network, item, eq), "there is no such rule")
            elif key == "banned":
                require(not has_rule(network, item, partial(lies_inside, network)), "a rule of the class lies inside")
            elif not decides:
                require(satisfies_structure(network, key, item), "the rules do not satisfy it")
            if decides:
                claims, trees = list_claims(network, policy, key, item), certificate["clauses"].get(name)
                require(trees is not None, "the certificate does not prove it")
                require(len(trees) == len(claims), "the certificate proves another number of claims")
                for claim, tree in zip(claims, trees, strict=True):
                    names = [column for column in network.columns if column != claim.column]
                    claim.follow_tree(tree, {column: network.possible_cells(column) for column in names})
            yield name, None
        except Rejected as error:
            yield name, str(error)


def main(arguments):
    if len(arguments) not in (2, 3):
        print("usage: check.py model.json [policy.toml] certificate.json", file=sys.stderr)
        return 2
    try:
        with (
            open(arguments[0], encoding="utf-8-sig") as model_file,
            open(arguments[-1], encoding="utf-8") as certificate_file,
        ):
            model, certificate = json.load(model_file), json.load(certificate_file)
        policy = None
        if len(arguments) == 3:
            with open(arguments[1], "rb") as file:
                policy = tomllib.load(file)
    except (OSError, ValueError, RecursionError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    try:
        policy = model["policy"] if policy is None else policy
        results = list(check(model, policy, certificate))
    except Rejected as error:
        print(f"rejected: {error}")
        return 1
    except (KeyError, ValueError, TypeError, IndexError, AttributeError, RecursionError) as error:
        print(f"rejected: the files do not fit together ({type(error).__name__}: {error})")
        return 1
    for name, reason in results:
        print(f"confirmed: {name}" if reason is None else f"rejected: {name}: {reason}")
    left_out = [key for key in policy if key in ("min_rows", "min_precision", "fair")]
    if left_out:
        print(f"left out, since it is about given rows: {', '.join(left_out)}")
    return 1 if any(reason for _, reason in results) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
