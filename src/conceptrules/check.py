"""Check the certificate of a proof: `python -m conceptrules.check model.json policy.toml certificate.json`.

Without a policy file, it checks the policy that the model carries.

This program shares no code with what found the proof, and needs nothing but Python's standard library: the file can be
copied anywhere and run by its path. It believes none of the three files. It first reads each of them strictly: every
name has to be known, every number finite, and nothing may be there that it does not understand. It works out itself
which rows are possible and what each clause claims of them. Then it follows the splits of the certificate: a leaf is
accepted only if the claim holds there whatever is still unknown. Clauses about decisions say nothing of probabilities;
of scorecards, monotone clauses are about the scores, and so about the probabilities and the decision. There, it adds up
the points that each leaf leaves possible.

It prints a line for each clause; the exit code is 0 if all are confirmed, 1 if one is not, and 2 if a file cannot be
read. Clauses about given rows (least rows, precision, fairness) are not part of a certificate, and it says that they
are left out.
"""

import hashlib
import json
import math
import re
import sys
import tomllib
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import combinations, pairwise
from typing import NamedTuple

DECIDING_KEYS = ("classes", "priority", "default", "columns", "predicates", "levels")
CARD_KEYS = ("classes", "head", "columns", "predicates", "levels")
OTHER_KEYS = ("hash", "target", "statistics", "training", "names", "reason_codes", "cases", "policy", "proof", "trail")
MOMENTS = ("date", "datetime", "duration")
ORDERED = ("number", *MOMENTS)
KINDS = (*ORDERED, "boolean", "category", "ordinal")
FARTHEST = 2.0**63 - 1024  # microseconds that a date can be away from 1970
MAX_STEPS = 100_000  # of the search for one possible row
MAX_SCORE = 2**31 - 1
MAX_LOGARITHM = 700  # of a number that is predicted
ROUNDING = 1e-12  # by how much, as a share, programs may differ in powers of e


class Rejected(Exception):
    """What the files do not show, or do not say as they have to."""


def require(condition, message):
    if not condition:
        raise Rejected(message)


# What values of files can be


def is_text(value):
    return isinstance(value, str)


def is_flag(value):
    return isinstance(value, bool)


def is_value(value):
    """Return whether this is a class or a category: text, or a number that is one."""
    return isinstance(value, str | int | float) and value == value  # noqa: PLR0124


def is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value  # noqa: PLR0124


def is_whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


def is_finite(value):
    """Return whether this is a number that a float holds exactly."""
    return is_number(value) and abs(value) <= sys.float_info.max and float(value) == value


def check_keys(table, name, needed, optional=()):
    require(isinstance(table, dict), f"{name} is not a table of keys and values")
    for key in needed:
        require(key in table, f"{name} has no key {key!r}")
    unknown = [key for key in table if key not in needed and key not in optional]
    require(not unknown, f"{name} has a key that is not known: {unknown[:1]}")


def check_list(items, name, accepts):
    """Require a list of different items that are as they have to be."""
    require(isinstance(items, list), f"{name} is not a list")
    wrong = [item for item in items if not accepts(item)]
    require(not wrong, f"{name} cannot hold {str(wrong[:1])[:80]}")
    require(len(set(items)) == len(items), f"{name} has an item twice")


def check_table(table, name, accepts):
    require(isinstance(table, dict), f"{name} is not a table of keys and values")
    wrong = [key for key, value in table.items() if not accepts(value)]
    require(not wrong, f"{name} cannot hold what is given for {wrong[:1]}")


def read_json(text):
    """Return the values of JSON, where no key may come twice: it would say one thing here and another elsewhere."""

    def read_object(pairs):
        require(len(dict(pairs)) == len(pairs), f"a key is given twice: {[key for key, _ in pairs][:5]}")
        return dict(pairs)

    return json.loads(text, object_pairs_hook=read_object)


def restore_infinities(value):
    """Return plain values with infinities in place of the objects that stand for them in JSON."""
    if isinstance(value, dict):
        if set(value) == {"infinity"} and isinstance(value["infinity"], bool):
            return math.inf if value["infinity"] else -math.inf
        return {key: restore_infinities(item) for key, item in value.items()}
    require(not isinstance(value, float) or math.isfinite(value), f"{value} is not a number in JSON")
    return list(map(restore_infinities, value)) if isinstance(value, list) else value


def hash_plain(content):
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


# The model


@dataclass(frozen=True)
class Test:
    """A test on a column: `low < value <= high`, one of some values, or with neither, whether it is missing."""

    column: str
    low: float | None = None
    high: float | None = None
    values: tuple | None = None


class Model:
    """The network of a model file."""

    def __init__(self, content):
        check_keys(content, "the model", ("format", "version", *find_keys(content)), OTHER_KEYS)
        require(content["format"] == "conceptrules", "this is not a model")
        require(is_whole(content["version"]) and content["version"] == 1, "the version of the model is not known")
        self.classes, self.head = content["classes"], None
        check_list(self.classes, "classes", is_value)
        if "head" in content:
            self.head = Head(content["head"], len(self.classes), content["levels"])
        else:
            self.priority, self.default = content["priority"], content["default"]
            check_list(self.priority, "priority", is_value)
            require(set(self.priority) == set(self.classes), "the priority does not list all classes")
            require(is_value(self.default) and self.default in self.classes, "the default is not a class")
        self.columns = read_columns(content["columns"])
        self.levels, self.lengths, self.edges = [], [], 0
        require(isinstance(content["levels"], list) and content["levels"], "the model has no levels")
        known, self.sizes = read_predicates(content["predicates"], self.columns)
        for depth, level in enumerate(content["levels"]):
            check_keys(level, "a level", ("concepts", "rules"))
            check_list(level["concepts"], "the concepts of a level", is_value)
            names = [f"C{depth + 1}.{number + 1}" for number in range(len(level["concepts"]))]
            if depth == len(content["levels"]) - 1:
                names = [] if self.head else self.classes
            require(level["concepts"] == names, f"the concepts of a level are not {names[:5]}")
            self.add_level(level, known, depth)
            known = dict.fromkeys(names)

    def add_level(self, level, known, depth):
        """Add a level: rules as pairs (test or concept, negated), the rules of each concept, and their names."""
        names = level["concepts"]
        require(isinstance(level["rules"], list), "the rules of a level are not a list")
        rules = []
        for rule in level["rules"]:
            check_keys(rule, "a rule", ("points" if self.head else "for", "all", "none"))
            if not self.head:
                check_list(rule["for"], "the concepts of a rule", lambda name: is_value(name) and name in names)
            for key in ("all", "none"):
                check_list(rule[key], "a rule", lambda name: is_value(name) and name in known)
            literals = [(name, False) for name in rule["all"]] + [(name, True) for name in rule["none"]]
            self.lengths.append(len(literals))
            self.edges += sum(1 if depth else self.sizes[name] for name, _ in literals)
            rules.append(literals if depth else [(known[name], negated) for name, negated in literals])
        members = [[i for i, rule in enumerate(level["rules"]) if name in rule["for"]] for name in names]
        pointed = [] if self.head is None else [value for points in self.head.points for value in points if value]
        self.edges += sum(map(len, members)) + len(pointed)
        self.levels.append((rules, members, names))


def find_keys(model):
    """Return the keys of a model that decide."""
    return CARD_KEYS if isinstance(model, dict) and "head" in model else DECIDING_KEYS


class Head:
    """How the points of a scorecard of one level add up to scores, and what these mean."""

    def __init__(self, content, classes, levels):
        kind = ("cutoff", "probabilities") if classes == 2 else ("unit", "offsets") if classes else ("step", "link")
        check_keys(content, "the head", ("base", *kind))
        require(classes != 1, "a scorecard needs at least two classes")
        require(isinstance(levels, list) and len(levels) == 1, "only scorecards of one level can be checked")
        self.outputs, self.base = classes if classes > 2 else 1, content["base"]
        check_keys(levels[0], "a level", ("concepts", "rules"))
        require(isinstance(levels[0]["rules"], list), "the rules of a level are not a list")
        self.points = [rule.get("points") if isinstance(rule, dict) else None for rule in levels[0]["rules"]]
        self.cutoff, self.table = content.get("cutoff", 0), content.get("probabilities", [])
        self.offsets, self.step, self.link = content.get("offsets", [0] * self.outputs), None, content.get("link")
        for row in (self.base, self.offsets, *self.points):
            whole = isinstance(row, list) and len(row) == self.outputs and all(map(is_whole, row))
            require(whole, f"there are no whole numbers for {self.outputs} scores: {str(row)[:80]}")
        for output in range(self.outputs):
            total = sum(abs(row[output]) for row in (self.base, self.offsets, *self.points))
            require(total <= MAX_SCORE, "the points add up to too much")
        if classes == 2:
            self.check_table()
        elif classes:
            require(is_finite(content["unit"]) and 0 < content["unit"] <= 1_000_000, "the unit is not positive")
        else:
            self.read_step(content["step"])

    def check_table(self):
        """Require probabilities that never fall: what is shown of the score holds of them, too."""
        require(is_whole(self.cutoff) and abs(self.cutoff) <= MAX_SCORE, "the cut-off is no score")
        require(isinstance(self.table, list) and self.table, "there are no probabilities")
        for pair in self.table:
            require(isinstance(pair, list) and len(pair) == 2, "a probability has no score")
            require(is_whole(pair[0]) and abs(pair[0]) <= MAX_SCORE, f"{str(pair[0])[:80]} is no score")
            require(is_finite(pair[1]) and 0 <= pair[1] <= 1, f"{str(pair[1])[:80]} is no probability")
        for (score, share), (next_score, next_share) in pairwise(self.table):
            require(score < next_score and share <= next_share, "the probability of a score falls")

    def read_step(self, step):
        require(is_finite(step) and step > 0, "the step is not positive")
        self.step = float(step)
        require(self.step * MAX_SCORE < math.inf, "the step is too large")
        require(self.link in ("identity", "log"), "the link is not known")
        if self.link == "log":
            below, above = (
                abs(self.base[0] + sum(side(0, points) for (points,) in self.points)) for side in (min, max)
            )
            require(max(below, above) * self.step <= MAX_LOGARITHM, "a prediction is too large")

    def find_first(self, reached):
        """Return the least score whose number reaches a bound, or one more than the largest there can be."""
        low, high = -MAX_SCORE, MAX_SCORE + 1
        while low < high:
            middle = (low + high) // 2
            number = middle if self.step is None else middle * self.step
            if self.link == "log":
                number = math.exp(min(max(number, -MAX_LOGARITHM), MAX_LOGARITHM))
            low, high = (low, middle) if reached(number) else (middle + 1, high)
        return low


def read_columns(content):
    require(isinstance(content, list), "the columns are not a list")
    columns = {}
    for column in content:
        check_keys(column, "a column", ("name", "kind", "categories", "missing"))
        require(is_text(column["name"]) and column["name"] not in columns, "the names of columns do not differ")
        require(column["kind"] in KINDS, f"column {column['name']!r} has an unknown kind")
        check_list(column["categories"], f"the categories of {column['name']!r}", is_value)
        flags = column["kind"] == "number" and column["categories"] == [0, 1]
        listed = flags or column["kind"] not in ORDERED or not column["categories"]
        require(listed, f"{column['name']!r} has no categories")
        require(is_flag(column["missing"]), f"whether {column['name']!r} has gaps is not said")
        columns[column["name"]] = column
    return columns


def read_predicates(content, columns):
    """Return the tests, and how many edges a literal of each counts as, by their names."""
    require(isinstance(content, list), "the predicates are not a list")
    tests, sizes = {}, {}
    for predicate in content:
        require(isinstance(predicate, dict), "a predicate is not a table")
        kind, name = predicate.get("kind"), predicate.get("name")
        parts = {"interval": ("low", "high"), "equals": ("value",), "one_of": ("values",), "missing": ()}
        require(is_text(kind) and kind in parts, "a predicate has an unknown kind")
        check_keys(predicate, f"the predicate {name!r}", ("name", "kind", "column", *parts[kind]))
        require(is_text(name) and name not in tests, "the names of predicates do not differ")
        require(is_text(predicate["column"]) and predicate["column"] in columns, f"{name!r} tests no column")
        if kind == "interval":
            ends = [predicate["low"], predicate["high"]]
            require(all(end is None or is_finite(end) for end in ends), f"{name!r} has a bound that is no number")
            ends = [-math.inf if ends[0] is None else ends[0], math.inf if ends[1] is None else ends[1]]
            tests[name] = Test(predicate["column"], *map(float, ends))
        elif kind == "missing":
            tests[name] = Test(predicate["column"])
        else:
            values = [predicate["value"]] if kind == "equals" else predicate["values"]
            check_list(values, f"the predicate {name!r}", is_value)
            known = columns[predicate["column"]]["categories"]
            places = [known.index(value) if value in known else len(known) for value in values]
            require(places == sorted(places), f"the categories of {name!r} are not in the order of the column")
            tests[name] = Test(predicate["column"], values=tuple(values))
        check_test(tests[name], columns)
        sizes[name] = count_edges(predicate["values"], columns[predicate["column"]]) if kind == "one_of" else 1
    return tests, sizes


def count_edges(values, column):
    """Return the edges of a literal of a set: one for each value, or for each end of a run in the column's order."""
    order = column["categories"] if column["kind"] == "ordinal" else []
    start = order.index(values[0]) if order else 0
    if not order or order[start : start + len(values)] != values:
        return len(values)
    return 2 if start > 0 and start + len(values) < len(order) else 1


def check_test(test, columns):
    """Require a test that goes with the kind of its column."""
    column = columns[test.column]
    if test.low is not None:
        require(column["kind"] in ORDERED, f"{test.column!r} has no numbers to compare")
        require(test.low < test.high, f"no value of {test.column!r} is above {test.low} and at most {test.high}")
    if test.values is not None:
        require(column["kind"] not in ORDERED, f"{test.column!r} has no categories")
        require(test.values, f"a set of categories of {test.column!r} is empty")
        known = {"boolean": [False, True], "ordinal": column["categories"]}.get(column["kind"], test.values)
        unknown = [value for value in test.values if value not in known]
        require(not unknown, f"{test.column!r} cannot be {unknown[:1]}")


# Rules in words

QUOTED = r'"(?:[^"\\]|\\.)*"'
AND = re.compile(rf"{QUOTED}|( and )", re.DOTALL)
OPERATOR = re.compile(rf"{QUOTED}| (<=|>=|!=|<|>|=|is|not in(?= \{{)|in(?= \{{)) ", re.DOTALL)
COMMA = re.compile(rf"{QUOTED}|(, )", re.DOTALL)
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
DURATION = re.compile(r"(minus )?(?:(\d+) days? )?(\d+):(\d\d):(\d\d)(?:\.(\d{1,6}))?")


def split_text(text, pattern):
    """Return the parts of a text between the marks of a pattern; what is in quotes has no marks."""
    marks = [mark for mark in pattern.finditer(text) if mark[1]]
    starts, ends = [0, *(mark.end() for mark in marks)], [*(mark.start() for mark in marks), len(text)]
    return [text[start:end].strip() for start, end in zip(starts, ends, strict=True)], [mark[1] for mark in marks]


def read_rule(text, columns, unseen=False):
    """Return the tests of a rule in words, as pairs (test, negated); unless `unseen`, they name known categories."""
    require(is_text(text), f"a rule in words is not text: {text!r}")
    tests = [] if text.strip() == "always" else [read_condition(part, columns) for part in split_text(text, AND)[0]]
    for test, _ in tests:
        check_test(test, columns)
        known = columns[test.column]["categories"] or test.values or ()
        strange = [value for value in test.values or () if value not in known]
        require(unseen or not strange, f"{test.column!r} has no category {strange[:1]}")
    return tests


def read_condition(text, columns):
    """Return a test, and whether it is negated."""
    negated = False
    while text.startswith("not ") or (text.startswith("(") and text.endswith(")")):
        negated = negated != text.startswith("not ")
        text = (text[4:] if text.startswith("not ") else text[1:-1]).strip()
    parts, signs = split_text(text, OPERATOR)
    require(len(signs) == 1 or (len(signs) == 2 and set(signs) <= {"<", "<="}), f"cannot read the condition {text!r}")
    if len(signs) == 2:
        column = find_column(parts[1], columns)
        low, high = read_bound(column, parts[0], signs[0] == "<="), read_bound(column, parts[2], signs[1] == "<")
        return make_range(column, low, high), negated
    column, (sign,), text = find_column(parts[0], columns), signs, parts[1]
    if sign in ("<", "<="):
        return make_range(column, None, read_bound(column, text, sign == "<")), negated
    if sign in (">", ">="):
        return make_range(column, read_bound(column, text, sign == ">="), None), negated
    if sign == "is":
        require(text in ("missing", "present"), f"cannot read `is {text}`")
        return Test(column["name"]), negated != (text == "present")
    if sign in ("=", "!=") and column["kind"] == "number" and text in map(str, column["categories"]):
        return make_range(column, *((0.0, None) if text == "1" else (None, 0.0))), negated != (sign == "!=")
    require(sign in ("=", "!=") or text.endswith("}"), "a set has no end")
    texts = [text] if sign in ("=", "!=") else split_text(text[1:-1], COMMA)[0]
    values = tuple(read_value(column, part) for part in texts)
    require(len(set(values)) == len(values), f"a set lists a category twice: {text!r}")
    return Test(column["name"], values=values), negated != (sign in ("!=", "not in"))


def find_column(text, columns):
    name = unquote(text) if text.startswith('"') else text
    require(name in columns, f"there is no column {name!r}")
    return columns[name]


def unquote(text):
    def unescape(mark):
        code = int(mark[1] or mark[2] or mark[3] or "0", 16)
        require(code <= sys.maxunicode, f"there is no character {mark[0]!r}")
        plain = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
        return plain.get(mark[4], mark[4]) if mark[4] else chr(code)

    require(re.fullmatch(QUOTED, text, re.DOTALL), f"the quotes of {text!r} do not end")
    return ESCAPE.sub(unescape, text[1:-1])


def read_value(column, text):
    """Return a category: text, or a number where the column has numbers or it is in brackets."""
    if text.startswith('"'):
        return unquote(text)
    known = column["categories"]
    bare = text[1:-1] if text.startswith("(") and text.endswith(")") else text
    if bare == text and known and all(map(is_text, known)):
        return text
    if bare in ("True", "False"):
        return bare == "True"
    if re.fullmatch(r"-?\d{1,4000}", bare):
        return int(bare)  # whole numbers are exact: 2**53 is not 2**53 + 1
    if re.fullmatch(r"-?(\d+(\.\d+)?(e[+-]\d+)?|inf)", bare):
        return float(bare)
    require(bare == text and text, f"cannot read the category {text!r}")
    return text


def read_bound(column, text, inside):
    """Return a bound; where the value itself is on the other side of it, the number before it.

    That of an ordinal column is the place after a category.
    """
    if column["kind"] == "ordinal":
        value = read_value(column, text)
        require(value in column["categories"], f"{column['name']!r} has no category {text!r}")
        return column["categories"].index(value) + (0 if inside else 1)
    require(column["kind"] in ORDERED, f"{column['name']!r} has no order")
    try:
        number = float(text) if column["kind"] == "number" else read_moment(column, text)
    except (ValueError, TypeError, OverflowError):
        raise Rejected(f"cannot read the bound {text!r} of {column['name']!r}") from None
    require(is_number(number), f"cannot read the bound {text!r} of {column['name']!r}")
    return math.nextafter(number, -math.inf) if inside else number


def read_moment(column, text):
    """Return a date, date-time or duration in microseconds."""
    if column["kind"] != "duration" and not text.startswith("1970-01-01 + "):
        return float((datetime.fromisoformat(text) - datetime(1970, 1, 1)) // timedelta(microseconds=1))
    text = text.removeprefix("1970-01-01 + ") if column["kind"] != "duration" else text
    if text.endswith(" microseconds"):
        return float(text.removesuffix(" microseconds"))
    match = DURATION.fullmatch(text)
    require(match, f"cannot read the duration {text!r}")
    minus, days, hours, minutes, seconds, fraction = match.groups()
    whole = ((int(days or 0) * 24 + int(hours)) * 60 + int(minutes)) * 60 + int(seconds)
    return float((whole * 10**6 + int((fraction or "").ljust(6, "0"))) * (-1 if minus else 1))


def make_range(column, low, high):
    """Return the test of values between two bounds, of which one may be absent."""
    if column["kind"] == "ordinal":
        return Test(column["name"], values=tuple(column["categories"][low:high]))
    return Test(column["name"], -math.inf if low is None else low, math.inf if high is None else high)


# The policy


class Clause(NamedTuple):
    """A clause: its name, its key in the policy, and what it says."""

    name: str
    key: str
    parts: tuple
    points: tuple = ()

    @property
    def decides(self):
        """Whether it is about decisions, which takes a proof; the rules themselves settle all others."""
        return self.key in ("monotone", "independent", "implies", "bounds") or self.parts[-1:] == ("decides",)


class Domain:
    """The rows that a policy calls possible."""

    def __init__(self, content, model):
        check_keys(content, "domain", (), ("ranges", "missing", "unseen", "impossible"))
        self.ranges, self.missing = content.get("ranges", {}), content.get("missing", True)
        check_table(self.ranges, "domain.ranges", is_range)
        for name in self.ranges:
            check_column(name, "domain.ranges", model)
            require(model.columns[name]["kind"] in ORDERED, f"{name!r} has no order, so no range")
        if not is_flag(self.missing):
            check_list(self.missing, "domain.missing", lambda name: is_text(name) and name in model.columns)
        self.unseen, rules = content.get("unseen", True), content.get("impossible", [])
        require(is_flag(self.unseen), "domain.unseen is not true or false")
        check_list(rules, "domain.impossible", is_text)
        self.impossible = [read_rule(rule, model.columns) for rule in rules]

    def can_miss(self, name):
        return self.missing if is_flag(self.missing) else name in self.missing


def is_range(ends):
    numbers = isinstance(ends, list) and len(ends) == 2 and all(map(is_number, ends))
    return numbers and all(is_finite(end) or abs(end) == math.inf for end in ends) and ends[0] <= ends[1]


class Policy:
    """What a policy file asks for."""

    def __init__(self, content, model):
        check_keys(content, "the policy", (), (*CLAUSE_READERS, *UNPROVED, "domain", "monitor", "relations"))
        check_unproved(content, model)
        strange = CARD_ONLY if model.head is None else NO_CARD
        require(not set(strange) & set(content), f"this network can have no {' and no '.join(strange)}")
        check_list(content.get("forbidden", []), "forbidden", is_text)
        self.domain = Domain(content.get("domain", {}), model)
        self.clauses = []
        for key, value in content.items():
            if key in CLAUSE_READERS:
                self.clauses += CLAUSE_READERS[key](key, value, model, content)
        names = [clause.name for clause in self.clauses]
        require(len(set(names)) == len(names), "a clause is asked for twice")

    def list_tests(self):
        """Return the tests of rules in words, which cells have to tell apart."""
        rules = [clause.parts[0] for clause in self.clauses if clause.key in ("implies", "locked", "banned", "bounds")]
        return [test for rule in (*rules, *self.domain.impossible) for test, _ in rule]


CARD_ONLY, NO_CARD = ("bounds",), ("only_for", "default", "priority", "min_precision", "confidence")
UNPROVED = ("min_rows", "min_precision", "confidence", "fair", "cost", "order", "better", "signatures")


def check_unproved(policy, model):
    """Require that the keys which need no proof are as they have to be."""
    spans = {"min_rows": (0, sys.float_info.max), "min_precision": (0, 1), "confidence": (0.5, 0.999999)}
    for key, (low, high) in (*spans.items(), ("signatures", (1, 100))):
        number = policy.get(key, low)
        require(is_number(number) and low <= number <= high, f"{key} is not a number from {low} to {high}")
    require("min_precision" in policy or "confidence" not in policy, "confidence goes with min_precision")
    costs = policy.get("cost", {})
    check_table(costs, "cost", lambda cost: is_number(cost) and 0 <= cost < math.inf)
    require(set(costs) <= set(model.columns), "cost names a column that is not there")
    check_list(policy.get("order", []), "order", is_value)
    require("better" not in policy or is_value(policy["better"]), "better is not a class")
    require("order" not in policy or "better" not in policy, "order and better are both given")
    require(isinstance(policy.get("fair", []), list), "fair is not a list")
    for item in policy.get("fair", []):
        check_keys(item, "fair", ("column", "positive", "bound"), ("measure",))
        require(is_text(item["column"]), "fair names no column")
        check_class(item["positive"], "fair", model)
        require(is_number(item["bound"]) and 0 <= item["bound"] <= 1, "the bound of fair is not from 0 to 1")
        measure = item.get("measure", "positive_rate")
        require(measure in ("positive_rate", "true_positive_rate", "selection_ratio"), "fair: unknown measure")


def check_class(label, name, model):
    require(is_value(label) and label in model.classes, f"{name}: there is no class {label!r}")


def check_column(column, name, model):
    require(is_text(column) and column in model.columns, f"{name}: there is no column {column!r}")


def read_monotone(key, content, model, policy):
    check_table(content, key, lambda item: is_text(item) or isinstance(item, dict))
    for column, item in content.items():
        name, options = f"{key}.{column}", {"direction": item} if is_text(item) else item
        check_column(column, name, model)
        require(model.columns[column]["kind"] != "category", f"{name}: the column has no order")
        check_keys(options, name, ("direction",), ("order", "better", "missing"))
        require(options["direction"] in ("up", "down"), f"{name} has no direction")
        missing = options.get("missing", "incomparable")
        require(missing in ("incomparable", "lowest"), f"{name}: cannot read where missing values stand")
        require("order" not in options or "better" not in options, f"{name}: order and better are both given")
        check_list(options.get("order", []), f"{name}: the order", is_value)
        source = options if options.get("order") or "better" in options else policy
        order = [source["better"]] if "better" in source else source.get("order", [])
        check_list(order, f"{name}: the order", lambda label: is_value(label) and label in model.classes)
        if len(order) == 1 and len(model.classes) == 2:  # the better one of two
            order = [*(label for label in model.classes if label not in order), *order]
        require(len(order) == len(model.classes), f"{name}: which classes are better is not said")
        yield Clause(name, key, (column, options["direction"], order, missing))


def read_columns_list(key, content, model, policy):
    check_list(content, key, is_text)
    for column in content:
        if key == "independent" and column not in policy.get("forbidden", []):
            check_column(column, f"{key}.{column}", model)
        yield Clause(f"{key}.{column}", key, (column,))


def read_apart(key, content, model, policy):
    require(isinstance(content, list), f"{key} is not a list")
    for pair in content:
        check_list(pair, key, is_text)
        require(len(pair) == 2, f"{key} has a pair that is none")
        for column in pair:
            check_column(column, key, model)
        yield Clause(f"{key}.{pair[0]}.{pair[1]}", key, tuple(pair))


def read_only_for(key, content, model, policy):
    check_table(content, key, lambda labels: isinstance(labels, list) and labels)
    for column, labels in content.items():
        check_column(column, key, model)
        check_list(labels, key, is_value)
        for label in labels:
            check_class(label, key, model)
        yield Clause(f"{key}.{column}", key, (column, labels))


def read_rules(rule_key, class_key, key, content, model, policy):
    require(isinstance(content, list), f"{key} is not a list")
    optional = (
        *(["mode", "points"] if key == "locked" else []),
        *([class_key] if model.head and key != "implies" else []),
    )
    for item in content:
        check_keys(item, key, [name for name in (rule_key, class_key) if name not in optional], optional)
        text, label, mode = item[rule_key], item.get(class_key), item.get("mode", "keep")
        points = item.get("points", [])
        points = points if isinstance(points, list) else [points]
        require(mode in ("keep", "decides"), f"{key}: cannot read the mode")
        require(all(map(is_whole, points)), f"{key}: points are whole numbers")
        fits = model.head is not None and len(points) == model.head.outputs and any(points)
        require(not points or fits, f"{key}: there are other scores than points")
        require(label is not None or mode == "keep", f"{key}: no class is named")
        if class_key in item:
            check_class(label, key, model)
        rule = read_rule(text, model.columns, unseen=key == "banned")
        name = f"{key}.{label}.{text}" if key == "banned" and label is not None else f"{key}.{text}"
        yield Clause(name, key, (rule, label, mode), tuple(points))


def read_bounds(key, content, model, policy):
    require(isinstance(content, list), f"{key} is not a list")
    require(len(model.classes) <= 2, f"{key}: of several classes, a score alone means nothing")
    for item in content:
        check_keys(item, key, (), ("if", "least", "most"))
        text, least, most = item.get("if", "always"), item.get("least", -math.inf), item.get("most", math.inf)
        ends = all(is_number(end) and (is_finite(end) or abs(end) == math.inf) for end in (least, most))
        require(ends and least <= most and (least > -math.inf or most < math.inf), f"{key} are no bounds")
        yield Clause(f"{key}.{text}", key, (read_rule(text, model.columns), least, most))


def read_default(key, content, model, policy):
    check_class(content, key, model)
    yield Clause(key, key, (content,))


def read_priority(key, content, model, policy):
    check_list(content, key, is_value)
    require(set(content) == set(model.classes), "the priority of the policy does not list all classes")
    yield Clause(key, key, (content,))


def read_limit(key, content, model, policy):
    require(is_whole(content) and content >= 0, f"{key} is not a whole number")
    yield Clause(key, key, (content,))


CLAUSE_READERS = {
    "monotone": read_monotone,
    "independent": read_columns_list,
    "forbidden": read_columns_list,
    "apart": read_apart,
    "only_for": read_only_for,
    "locked": partial(read_rules, "rule", "class"),
    "banned": partial(read_rules, "rule", "class"),
    "default": read_default,
    "priority": read_priority,
    "max_edges": read_limit,
    "max_rules": read_limit,
    "max_literals": read_limit,
    "implies": partial(read_rules, "if", "then"),
    "bounds": read_bounds,
}


# The cells of columns: the sets of values on which all tests agree


class Cells:
    """The cells of a column as (kind, value): intervals or categories, any other category, and missing.

    The certificate only says in which order categories come: which cells there are follows from the tests.
    """

    def __init__(self, column, tests, domain, stated):
        self.column, self.name = column, column["name"]
        if column["kind"] in ORDERED:
            check_keys(stated, f"the cells of {self.name!r}", ("cuts",))
            low, high = domain.ranges.get(self.name, (-math.inf, math.inf))
            low = math.nextafter(low, -math.inf)
            ends = {end for test in tests if test.low is not None for end in (test.low, test.high)} | {low, high}
            cuts = sorted(end for end in ends if math.isfinite(end))
            check_list(stated["cuts"], f"the cuts of {self.name!r}", is_finite)
            require(stated["cuts"] == cuts, f"the cuts of {self.name!r} are not those of the rules and the policy")
            self.cells = [("between", ends) for ends in pairwise([-math.inf, *cuts, math.inf])]
            inside = [low <= start and end <= high and self.has_moment(start, end) for _, (start, end) in self.cells]
        else:
            check_keys(stated, f"the cells of {self.name!r}", ("values",))
            listed, known = stated["values"], column["categories"]
            check_list(listed, f"the cells of {self.name!r}", is_value)
            first = {"boolean": [False, True], "ordinal": known}.get(column["kind"], [])
            tested = {value for test in tests for value in test.values or ()}
            require(listed[: len(first)] == first, f"the cells of {self.name!r} are not in its order")
            require(set(listed) == tested.union(first), f"the cells of {self.name!r} are not those of the rules")
            closed = bool(known) and not domain.unseen and column["kind"] != "boolean"
            self.cells = [*(("is", value) for value in listed), ("other", None)]
            inside = [self.can_be(value) and (not closed or value in known) for value in listed]
            other = not closed or any(value not in listed for value in known)
            inside.append(other and column["kind"] != "boolean")
        self.cells.append(("missing", None))
        inside.append(domain.can_miss(self.name))
        self.possible = [cell for cell, is_inside in enumerate(inside) if is_inside]
        require(self.possible, f"no value of {self.name!r} is possible")

    def has_moment(self, start, end):
        """Return whether an interval has a value; dates and durations are whole microseconds."""
        last = math.floor(min(end, FARTHEST)) if self.column["kind"] in MOMENTS else end
        return start < last and (self.column["kind"] == "number" or last >= -FARTHEST)

    def can_be(self, value):
        """Return whether the column can hold a category: text and numbers do not mix."""
        known = self.column["categories"] if self.column["kind"] in ("category", "ordinal") else []
        return not known or is_text(value) == is_text(known[0])

    def can_hold(self, cell):
        """Return whether the column can hold a value of a cell at all, in a possible row or not."""
        kind, value = self.cells[cell]
        if kind == "between":
            return self.has_moment(*value)
        return self.can_be(value) if kind == "is" else kind == "missing" or self.column["kind"] != "boolean"

    def where(self, test):
        """Return the cells in which a test holds."""
        if test.low is not None:
            ends = {end for kind, value in self.cells if kind == "between" for end in value}
            require({test.low, test.high} <= ends, f"the cells of {self.name!r} are too coarse")
            spans = [value if kind == "between" else (-math.inf, -math.inf) for kind, value in self.cells]
            inside = [test.low <= start < end <= test.high for start, end in spans]
        elif test.values is not None:
            require(all(("is", value) in self.cells for value in test.values), f"the cells of {self.name!r} are coarse")
            inside = [kind == "is" and value in test.values for kind, value in self.cells]
        else:
            inside = [kind == "missing" for kind, _ in self.cells]
        return {cell for cell, is_inside in enumerate(inside) if is_inside}


class Network:
    """A model on the cells of its columns. Rules of the first level are regions: the cells where they hold, by column.

    Rules of further levels stay pairs (concept, negated).
    """

    def __init__(self, model, policy, stated):
        self.model, self.columns = model, model.columns
        check_keys(stated, "the cells", model.columns)
        tests = [test for rule in model.levels[0][0] for test, _ in rule] + policy.list_tests()
        self.cells = {
            name: Cells(column, [test for test in tests if test.column == name], policy.domain, stated[name])
            for name, column in model.columns.items()
        }
        rules, members, names = model.levels[0]
        self.levels = [([self.find_region(rule) for rule in rules], members, names), *model.levels[1:]]
        self.impossible = [self.find_region(rule) for rule in policy.domain.impossible]
        self.box = {name: cells.possible for name, cells in self.cells.items()}
        self.steps = 0
        require(self.has_row(self.box, self.impossible), "no possible row was found in the domain")

    def find_region(self, tests):
        """Return where pairs (test, negated) hold together: the cells of each column that they ask about."""
        region = {}
        for test, negated in tests:
            cells, inside = self.cells[test.column], self.cells[test.column].where(test)
            known = region.get(test.column, range(len(cells.cells)))
            region[test.column] = {cell for cell in known if (cell in inside) != negated}
        return region

    def has_row(self, box, impossible):
        """Return whether some row of a box is in none of these regions."""
        self.steps += 1
        require(self.steps <= MAX_STEPS, "no possible row was found in the domain, after many steps")
        if not impossible:
            return True
        for name, cells in impossible[0].items():
            rest = [cell for cell in box[name] if cell not in cells]
            if rest and self.has_row({**box, name: rest}, impossible[1:]):
                return True
        return False


# What is claimed, and shown. A node has a set of pairs of values: what it can be on two rows that differ in one column.

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

    def __init__(self, network, events, premise=None, column=None, cells=(0, 0)):
        self.network, self.events, self.premise, self.column, self.ends = network, events, premise, column, cells

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
        possible = conjoin_all(negate(self.evaluate_region(rule, box)) for rule in self.network.impossible)
        if (1, 1) not in possible:
            return True
        nodes = {}
        for depth, (rules, members, names) in enumerate(self.network.levels):
            values = [
                conjoin_all(negate(nodes[name]) if negated else nodes[name] for name, negated in rule) if depth
                else self.evaluate_region(rule, box) for rule in rules
            ]  # fmt: skip
            concepts = [negate(conjoin_all(negate(values[i]) for i in numbers)) for numbers in members]
            nodes = dict(zip(names, concepts, strict=True))
        premise = conjoin(possible, self.evaluate_region(self.premise, box)) if self.premise is not None else None
        for event in self.events:
            decided = YES if self.network.model.default in event else NO
            for label in reversed(self.network.model.priority):
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
        require(isinstance(tree, list) and len(tree) == 4, "a split of the certificate has not four parts")
        name, cells, inside, outside = tree
        require(is_text(name) and name in box, f"the certificate splits {name!r}")
        count = len(self.network.cells[name].cells)
        check_list(cells, f"a split of {name!r}", lambda cell: is_whole(cell) and 0 <= cell < count)
        self.follow_tree(inside, {**box, name: [cell for cell in box[name] if cell in cells]})
        self.follow_tree(outside, {**box, name: [cell for cell in box[name] if cell not in cells]})


class CardClaim(CertifiedClaim):
    """A claim about scores: the points of some rules, each with a weight, add up to at least some whole number.

    About two rows, only the rules count that hold on one of them and not on the other. `signs` are those of the scores.
    """

    def __init__(self, network, signs, least, premise=None, column=None, cells=(0, 0)):
        head = network.model.head
        self.network, self.premise, self.column, self.least = network, premise or {}, column, least
        weights = [sum(map(int.__mul__, signs, points)) for points in head.points]
        pairs = list(zip(weights, network.levels[0][0], strict=True))
        if column is None:
            self.terms, self.impossible = [(weight, region) for weight, region in pairs if weight], network.impossible
            self.least -= sum(map(int.__mul__, signs, head.base))
        else:
            changes = [[cell in region.get(column, cells) for cell in cells] for _, region in pairs]
            pairs = [
                (weight if after else -weight, without(region, column))
                for (weight, region), (before, after) in zip(pairs, changes, strict=True) if before != after
            ]  # fmt: skip
            self.terms = [(weight, region) for weight, region in pairs if weight]
            near = [region for region in network.impossible if not region.get(column, set(cells)).isdisjoint(cells)]
            self.impossible = [without(region, column) for region in near]
        asked = [name for _, region in self.terms for name in region]
        places = {name: place for place, name in enumerate(network.columns)}
        # Of the columns that a rule waits for, it is counted with the one that most rules ask about.
        self.rank = {name: (-asked.count(name), place) for name, place in places.items()}

    def is_shown(self, box):
        box = {name: [cell for cell in cells if cell in self.premise.get(name, cells)] for name, cells in box.items()}
        inside = [all(cells.issuperset(box[name]) for name, cells in region.items()) for region in self.impossible]
        if any(inside) or not all(box.values()):
            return True
        total, by_column = 0, {}
        for weight, region in self.terms:
            waiting = {name: cells for name, cells in region.items() if not cells.issuperset(box[name])}
            if any(cells.isdisjoint(box[name]) for name, cells in region.items()):
                continue
            if not waiting:
                total += weight
                continue
            owner = min(waiting, key=self.rank.get)
            bound = weight if len(waiting) == 1 else min(weight, 0)  # it may wait for more, and then add nothing
            by_column.setdefault(owner, []).append((waiting[owner], bound))
        for name, added in by_column.items():
            total += min(sum(bound for cells, bound in added if cell in cells) for cell in box[name])
        return total >= self.least


def without(region, column):
    return {name: cells for name, cells in region.items() if name != column}


def list_claims(network, clause):
    """Return the claims of a clause about decisions."""
    head, classes = network.model.head, network.model.classes
    if clause.key in ("implies", "locked"):
        rule, label, _ = clause.parts
        if head is None:
            return [CertifiedClaim(network, [{label}], network.find_region(rule))]
        return [CardClaim(network, *limit, network.find_region(rule)) for limit in list_limits(head, classes, label)]
    if clause.key == "bounds":
        return list_bounds(network, clause)
    name, turn, order = clause.parts[0], 1, classes
    if clause.key == "independent" and name not in network.columns:
        return []  # it is forbidden, and no column of the network
    chain = network.box[name]
    events = [{label} for label in classes]
    if clause.key == "monotone":
        _, direction, order, missing = clause.parts
        events, turn = [set(order[start:]) for start in range(1, len(order))], 1 if direction == "up" else -1
        kinds = {cell: network.cells[name].cells[cell][0] for cell in chain}
        lowest = [cell for cell in chain if kinds[cell] == "missing" and missing == "lowest"]
        chain = lowest + [cell for cell in chain if kinds[cell] in ("between", "is")]
    # Neighbours suffice, unless what is impossible depends on the column, so that a row may skip a cell.
    skips = any(name in region for region in network.impossible)
    pairs = [pair[::turn] for pair in (combinations(chain, 2) if skips else pairwise(chain))]
    if head is None:
        return [CertifiedClaim(network, events, None, name, pair) for pair in pairs]
    if clause.key == "independent":
        pairs = [way for pair in pairs for way in (pair, pair[::-1])]
    signs = list_signs(classes, order)
    return [CardClaim(network, each, 0, None, name, pair) for pair in pairs for each in signs]


def list_signs(classes, order):
    """Return the sums of scores that may not fall: that of each class less that of the next worse one."""
    if len(classes) <= 2:
        return [(-1,) if classes and order[-1] != classes[1] else (1,)]
    return [tuple((label == better) - (label == worse) for label in classes) for worse, better in pairwise(order)]


def list_limits(head, classes, label):
    """Return the sums of scores, and the least that they have to be for a class to be answered."""
    answered = classes.index(label)
    if len(classes) == 2:
        return [((1,), head.cutoff) if answered else ((-1,), 1 - head.cutoff)]
    rivals = [number for number in range(len(classes)) if number != answered]
    signs = [tuple((k == answered) - (k == rival) for k in range(len(classes))) for rival in rivals]
    # Of equal values, the first class is answered.
    leads = [head.offsets[rival] - head.offsets[answered] + (rival < answered) for rival in rivals]
    return list(zip(signs, leads, strict=True))


def list_bounds(network, clause):
    """Return the claims of bounds of the score, or of the number that rises with it."""
    head, (rule, least, most) = network.model.head, clause.parts
    margin, claims, region = ROUNDING if head.link == "log" else 0.0, [], network.find_region(rule)
    if least > -math.inf:
        first = head.find_first(lambda number: number - margin * abs(number) >= least)
        claims.append(CardClaim(network, (1,), first, region))
    if most < math.inf:
        last = head.find_first(lambda number: number + margin * abs(number) > most) - 1
        claims.append(CardClaim(network, (-1,), -last, region))
    return claims


# Clauses that the rules themselves settle


def check_structure(network, clause):
    """Require that the rules themselves satisfy a clause."""
    if clause.key in ("locked", "banned"):
        rule, label, _ = clause.parts
        region = network.find_region(rule)
        if network.model.head is not None:
            check_points(network, clause, region)
        elif clause.key == "locked":
            require(has_rule(network, region, label, partial(is_same, network)), "there is no such rule")
        else:
            inside = partial(lies_inside, network)
            require(not has_rule(network, region, label, inside), "a rule of the class lies inside")
    else:
        require(satisfies_structure(network, clause.key, clause.parts), "the rules do not satisfy it")


def check_points(network, clause, region):
    """Require the points of a locked rule, or that no rule inside a banned one has points."""
    _, label, _ = clause.parts
    pairs = list(zip(network.levels[0][0], network.model.head.points, strict=True))
    if clause.key == "banned":
        inside = [points for rule, points in pairs if lies_inside(network, rule, region)]
        require(not any(favours(points, label, network.model.classes) for points in inside), "a rule lies inside")
        return
    same = [points for rule, points in pairs if is_same(network, rule, region)]
    require(same, "there is no such rule")
    total = [sum(column) for column in zip(*same, strict=True)]
    require(not clause.points or total == list(clause.points), "the rule has other points")
    require(favours(total, label, network.model.classes), "the rule has no points for the class")


def favours(points, label, classes):
    """Return whether points are in favour of a class, or, without one, whether there are any."""
    if label is None:
        return any(points)
    number = classes.index(label)
    return (points[number] if len(classes) > 2 else points[0] if number else -points[0]) > 0


def satisfies_structure(network, key, parts):
    model, below, tested = network.model, {}, []
    for depth, (rules, members, names) in enumerate(network.levels):
        by_rule = [set().union(*(below[name] for name, _ in rule)) if depth else set(rule) for rule in rules]
        tested += by_rule
        by_concept = [set().union(*(by_rule[i] for i in numbers)) for numbers in members]
        below = dict(zip(names, by_concept, strict=True))
    if key in ("forbidden", "apart"):
        return not any(set(parts) <= columns for columns in tested)
    if key == "only_for":
        return all(parts[0] not in columns for label, columns in below.items() if label not in parts[1])
    if key in ("default", "priority"):
        return getattr(model, key) == parts[0]
    if key == "max_literals":
        return all(length <= parts[0] for length in model.lengths)
    return (len(model.lengths) if key == "max_rules" else model.edges) <= parts[0]


def has_rule(network, region, label, alike):
    """Return whether a class has a rule like this region, perhaps passed on by concepts."""
    passing = set()
    for depth, (rules, members, names) in enumerate(network.levels):
        matching = [rule in [[(name, False)] for name in passing] if depth else alike(rule, region) for rule in rules]
        passing = {name for name, numbers in zip(names, members, strict=True) if any(matching[i] for i in numbers)}
    return label in passing


def is_same(network, rule, region):
    """Return whether a rule holds in just the cells of a region, column by column."""
    return lies_inside(network, rule, region) and lies_inside(network, region, rule)


def lies_inside(network, rule, region):
    """Return whether a rule holds only in the cells of a region."""
    for name, inside in region.items():
        cells = network.cells[name]
        if any(cells.can_hold(cell) and cell not in inside for cell in rule.get(name, range(len(cells.cells)))):
            return False
    return True


# The check


def check(model, policy, certificate):
    """Yield for each clause its name and why it is not confirmed, or None.

    `policy` is what its file states; None stands for the policy that the model carries.
    """
    check_keys(certificate, "the certificate", ("format", "version", "model", "policy", "cells", "clauses"))
    require(certificate["format"] == "conceptrules certificate", "this is not a certificate")
    version = certificate["version"]
    require(is_whole(version) and version == 1, "the version of the certificate is not known")
    check_keys(model, "the model", find_keys(model), ("format", "version", *OTHER_KEYS))
    deciding = hash_plain({key: model[key] for key in find_keys(model)})
    require(certificate["model"] == deciding, "the certificate belongs to another model")
    require(policy is not None or "policy" in model, "the model carries no policy; give a policy file")
    hashed = hash_plain(model["policy"] if policy is None else policy)
    require(certificate["policy"] == hashed, "the certificate belongs to another policy")
    read_model = Model(restore_infinities(model))
    read_policy = Policy(restore_infinities(model["policy"]) if policy is None else policy, read_model)
    network = Network(read_model, read_policy, restore_infinities(certificate["cells"]))
    trees_of = certificate["clauses"]
    check_keys(trees_of, "the clauses", (), {clause.name for clause in read_policy.clauses if clause.decides})
    for clause in read_policy.clauses:
        try:
            if clause.key == "locked" or not clause.decides:
                check_structure(network, clause)
            if clause.decides:
                require(clause.name in trees_of, "the certificate does not prove it")
                claims, trees = list_claims(network, clause), trees_of[clause.name]
                require(isinstance(trees, list) and len(trees) == len(claims), "it proves another number of claims")
                for claim, tree in zip(claims, trees, strict=True):
                    claim.follow_tree(tree, {name: box for name, box in network.box.items() if name != claim.column})
            yield clause.name, None
        except Rejected as error:
            yield clause.name, str(error)


def main(arguments):
    if len(arguments) not in (2, 3):
        print("usage: check.py model.json [policy.toml] certificate.json", file=sys.stderr)
        return 2
    try:
        texts = []
        for path in arguments:
            with open(path, encoding="utf-8-sig") as file:
                texts.append(file.read())
        model, certificate = read_json(texts[0]), read_json(texts[-1])
        policy = tomllib.loads(texts[1]) if len(texts) == 3 else None
    except (OSError, ValueError, RecursionError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except Rejected as error:
        print(f"rejected: {error}")
        return 1
    try:
        results = list(check(model, policy, certificate))
    except Rejected as error:
        print(f"rejected: {error}")
        return 1
    except RecursionError:
        print("rejected: the files are nested too deeply")
        return 1
    for name, reason in results:
        print(f"confirmed: {name}" if reason is None else f"rejected: {name}: {reason}")
    keys = model["policy"] if policy is None else policy
    left_out = [key for key in keys if key in ("min_rows", "min_precision", "fair", "signatures")]
    if left_out:
        print(f"left out, since it is about given rows: {', '.join(left_out)}")
    return 1 if any(reason for _, reason in results) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
