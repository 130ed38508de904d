"""The tests notice when the code is wrong: small changes of it, drawn at random, and the tests that mirror the module.

A runner of its own: mutmut and cosmic-ray rewrite files, and a run that is stopped may leave a change behind. Here it
is made while the module is imported, in a process of its own, and only the tests of the module and of its room are run,
until the first fails. A change is one comparison, operator, constant, condition or return value. The processes are
forked from one that has loaded the libraries, and nothing of ours: loading them would take most of the time.
"""

from __future__ import annotations

import ast
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType

import pytest
from hypothesis import Phase, settings

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "conceptrules"
TARGETS = ("model/**/*.py", "logic/**/*.py", "binarize/*_cuts.py")
NO_CHANGE = -1
_LIMIT = 120
"""Seconds of the processor after which tests go on for ever, by a change that is so noticed."""
_EXAMPLES = 40
"""Tables that hypothesis draws for each test which says no number."""
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or, ast.Or: ast.And,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change of one module."""

    module: Path
    line: int
    number: int
    """The number of the change among all of the module."""
    what: str

    def __str__(self) -> str:
        return f"{self.module.relative_to(ROOT)}:{self.line}: {self.what}"


class Changes(ast.NodeTransformer):
    """Counts the places that can be changed, and changes one of them."""

    def __init__(self, chosen: int = -1) -> None:
        self.chosen, self.found = chosen, list[tuple[int, str]]()

    def _here(self, node: ast.AST, what: str) -> bool:
        self.found.append((getattr(node, "lineno", 0), what))
        return len(self.found) - 1 == self.chosen

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        for place, operator in enumerate(node.ops):
            if type(operator) in SWAPS and self._here(node, f"{_name(operator)} instead"):
                node.ops[place] = SWAPS[type(operator)]()  # type: ignore[call-overload]
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        text = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
        if type(node.op) in SWAPS and not text and self._here(node, f"{_name(node.op)} instead"):
            node.op = SWAPS[type(node.op)]()  # type: ignore[assignment]
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        if self._here(node, f"{_name(node.op)} instead"):
            node.op = SWAPS[type(node.op)]()  # type: ignore[assignment]
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not | ast.Invert) and self._here(node, "no negation"):
            return node.operand
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        if self._here(node, "the other branch"):
            node.body, node.orelse = node.orelse, node.body
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        if self._here(node, "the condition negated"):
            node.test = ast.UnaryOp(ast.Not(), node.test)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, bool):
            if self._here(node, f"{not node.value} instead of {node.value}"):
                return ast.copy_location(ast.Constant(not node.value), node)
        elif isinstance(node.value, int | float) and self._here(node, f"{node.value + 1} instead of {node.value}"):
            return ast.copy_location(ast.Constant(node.value + 1), node)
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        self.generic_visit(node)
        nothing = node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)
        if not nothing and self._here(node, "return None"):
            node.value = ast.Constant(None)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        # Defaults, decorators and annotations are left alone: mypy and the list of public names see to these.
        node.body = [self.visit(one) for one in node.body]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        # Slots save memory, and mypy refuses to assign to what is frozen; equality, order and hashes are changed.
        for keyword in _keywords(node):
            if keyword.arg not in ("slots", "frozen"):
                keyword.value = self.visit(keyword.value)
        node.body = [self.visit(one) for one in node.body]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node


def _keywords(node: ast.ClassDef) -> Iterator[ast.keyword]:
    """Yield what the decorators of a class are given by name, as in `@dataclass(frozen=True)`."""
    for decorator in node.decorator_list:
        yield from decorator.keywords if isinstance(decorator, ast.Call) else ()


def _name(operator: ast.AST) -> str:
    return SWAPS[type(operator)].__name__


def mutants(module: Path) -> Iterator[Mutant]:
    """Yield all changes of a module."""
    changes = Changes()
    changes.visit(ast.parse(module.read_text()))
    for number, (line, what) in enumerate(changes.found):
        yield Mutant(module, line, number, what)


def changed(mutant: Mutant) -> str:
    """Return the text of the module with the change."""
    tree = Changes(mutant.number).visit(ast.parse(mutant.module.read_text()))
    return ast.unparse(ast.fix_missing_locations(tree))


def mirrored_tests(module: Path) -> list[str]:
    """Return the tests that mirror a module, then its own examples, then the tests of its room."""
    inside = module.relative_to(SOURCE)
    mirror = ROOT / "tests" / inside.with_name(f"test_{inside.name}")
    others = sorted(mirror.parent.glob("test_*.py"))
    found = [path for path in (mirror, module, *others) if path.exists()]
    return [str(path) for path in dict.fromkeys(found)]


class Runner:
    """Runs the tests of a module with a change, in a process that is forked for it."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.soak.mutants"]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()  # the end of its input is the end of it

    def fails(self, module: Path, number: int) -> bool:
        """Return whether a test fails with the change, or goes on for ever, by the time that the processor takes."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(module, number, file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        assert answer, "the process that runs the tests has ended"
        return int(answer) not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


def check_unchanged(modules: list[Path], fails: Callable[[Path, int], bool]) -> None:
    """Run the tests of each room without a change: if these failed, every change would seem to be noticed."""
    rooms = {module.parent: module for module in modules}
    failing = [str(room.relative_to(SOURCE)) for room, module in rooms.items() if fails(module, NO_CHANGE)]
    assert not failing, f"tests fail without a change: {', '.join(failing)}"


def main(minutes: float, start: int = 0) -> None:
    """Draw changes until the time is over, and print the share that the tests noticed and those that they did not.

    The order of all changes is fixed, so that `start` leaves out those that an earlier run has tried.
    """
    end = time.monotonic() + 60 * minutes
    modules = sorted(path for pattern in TARGETS for path in SOURCE.glob(pattern) if path.name != "__init__.py")
    every = [mutant for module in modules for mutant in mutants(module)]
    random.Random(0).shuffle(every)
    survivors: list[Mutant] = []
    tried = 0
    with Runner() as runner:
        check_unchanged(modules, runner.fails)
        for mutant in every[start:]:
            tried += 1
            if not runner.fails(mutant.module, mutant.number):
                survivors.append(mutant)
                print(f"survived: {mutant}", flush=True)
            if tried % 20 == 0:
                print(f"{tried} tried, {len(survivors)} survived", flush=True)
            if time.monotonic() > end:
                break
    share = 1 - len(survivors) / tried
    print(
        f"{tried} of {len(every):,} changes of {len(modules)} modules tried, {share:.1%} noticed by the tests; "
        f"go on with --start {start + tried}"
    )
    assert share >= 0.85, "the tests notice too little"


def _run_tests(module: Path, number: int) -> int:
    """Run the tests of a module with a change in this process, and return how they ended."""
    name = ".".join(module.relative_to(SOURCE.parent).with_suffix("").parts)

    class Loader(SourceFileLoader):
        """Loads the changed text instead of the file's."""

        def get_code(self, fullname: str) -> CodeType:
            return compile(changed(Mutant(module, 0, number, "")), str(module), "exec")

    class Finder(MetaPathFinder):
        """Finds the one module that is changed."""

        def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
            loader = Loader(name, str(module))
            return spec_from_file_location(name, module, loader=loader) if fullname == name else None

    resource.setrlimit(resource.RLIMIT_CPU, (_LIMIT, _LIMIT))
    sys.meta_path.insert(0, Finder())
    # What fails need not be made small, and the same tables are drawn each time: fewer than usual, which notice less.
    settings.register_profile(
        "mutants",
        deadline=None,
        derandomize=True,
        database=None,
        max_examples=_EXAMPLES,
        phases=(Phase.explicit, Phase.generate),
    )
    # Asserts stay plain: rewriting them would load the module another way, and without the change.
    options = ["-q", "-x", "-p", "no:cacheprovider", "--assert=plain", "-m", "not long"]
    return int(pytest.main([*options, "--hypothesis-profile", "mutants", *mirrored_tests(module)]))


def _serve() -> None:
    """Fork a process for each line that is read, which names a module and a change, and write how its tests ended."""
    for library in ("numba", "pandas", "pyarrow.compute", "scipy.sparse", "sklearn.base"):
        import_module(library)
    ours = [name for name in sys.modules if name.partition(".")[0] == "conceptrules"]
    assert not ours, f"loaded before they are changed: {ours}"
    for line in sys.stdin:
        module, _, number = line.rpartition(" ")
        child = os.fork()
        if not child:
            with open(os.devnull, "w") as nowhere:
                for stream in (1, 2):
                    os.dup2(nowhere.fileno(), stream)
            code = int(pytest.ExitCode.INTERNAL_ERROR)
            try:
                code = _run_tests(Path(module), int(number))
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    _serve()
