"""The dossier as a folder: its files, their hashes, and the answers of the owner."""

from __future__ import annotations

import datetime as dt
import hashlib
import os
import shutil
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from secrets import token_hex
from typing import Any

from conceptrules.io.json_readers import finite
from conceptrules.io.model_file import dumps
from conceptrules.logic.policies.proof import write_certificate
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy.plain import to_plain
from conceptrules.model.rule_reader import nearest_name
from conceptrules.report.dossier import CERTIFICATE, CHECKER, MODEL, SUMS, collect_facts, compose, read_guidance

OWNER = "owner.toml"
FILES = ("dossier.html", "dossier.md", MODEL, CERTIFICATE, OWNER, CHECKER, SUMS)
"""The files of a dossier; its folder has no others."""
_LONGEST = 20_000  # characters of an answer


def write_dossier(
    network: RuleNetwork,
    X: Any,
    y: Any,
    folder: str | os.PathLike[str],
    *,
    owner: str | os.PathLike[str] = "",
    by: Sequence[str] = (),
    source: Iterable[tuple[str, str]] = (),
) -> tuple[str, ...]:
    """Write the file for the auditor, and return the questions that are open: the function behind
    `RuleNetwork.dossier`, which explains it; `source` is what to say of the table, such as ("file", "new.csv")."""
    place = _check_folder(Path(folder).resolve())
    path = Path(owner) if owner else place / OWNER
    answers = read_answers(path) if owner or path.is_file() else dict.fromkeys(read_guidance()["questions"], "")
    facts = collect_facts(network, X, y, answers, by, tuple(source))
    document = compose(facts, dt.datetime.now(dt.UTC).strftime("%Y-%m-%d %H:%M"))
    contents = {
        "dossier.html": document.html().encode(),
        "dossier.md": document.markdown().encode(),
        MODEL: dumps(network).encode(),
        OWNER: path.read_bytes() if owner or path.is_file() else _write_questions().encode(),
        CHECKER: files("conceptrules").joinpath(CHECKER).read_bytes(),
    }
    if network.policy is not None and facts.proof is not None:
        certificate = write_certificate(network, network.policy, facts.proof, finite(to_plain(network.policy)))
        contents[CERTIFICATE] = certificate.encode()
    sums = (f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(contents.items()))
    _write_folder(place, contents | {SUMS: "".join(sums).encode()})
    return tuple(name for name, answer in answers.items() if not answer)


def read_answers(path: str | os.PathLike[str]) -> dict[str, str]:
    """Return what a TOML file answers to each question; empty where a question is still open."""
    questions = list(read_guidance()["questions"])
    try:
        values = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not the answers of an owner: no TOML ({error})") from None
    for name, answer in values.items():
        if name not in questions:
            raise InputError(f"{path}: there is no question {name!r}; {nearest_name(name, questions)}")
        if not isinstance(answer, str) or len(answer) > _LONGEST:
            raise InputError(f"{path}: {name} must be text in quotes, of at most {_LONGEST:,} characters")
    return {name: " ".join(values.get(name, "").split()) for name in questions}


def _write_questions() -> str:
    """Return a file with all questions, and room for the answers."""
    lines = ["# Fill this in, and write the dossier again. What stays empty is shown as open.", ""]
    for name, text in read_guidance()["questions"].items():
        lines += [f"# {text}", f'{name} = ""', ""]
    return "\n".join(lines)


# The folder


def _check_folder(place: Path) -> Path:
    """Return where the folder goes; raise if it holds what is not of a dossier."""
    if not place.parent.is_dir():
        raise InputError(f"{place}: the folder {place.parent} does not exist; make it first")
    if not os.access(place.parent, os.W_OK):
        raise InputError(f"the folder {place.parent} cannot be written to; choose another")
    if place.is_dir():
        strange = sorted(path.name for path in place.iterdir() if path.name not in FILES)
        if strange:
            raise InputError(f"{place} holds {strange[0]}, which is no file of a dossier; name another folder")
    elif place.exists():
        raise InputError(f"{place} is a file; name a folder")
    return place


def _write_folder(place: Path, contents: Mapping[str, bytes]) -> None:
    """Write the files beside their place, and then put them there together."""
    new, old = (place.with_name(f".{place.name}.{os.getpid()}.{token_hex(8)}.{end}") for end in ("tmp", "old"))
    try:
        new.mkdir()
        for name, content in contents.items():
            (new / name).write_bytes(content)
        if place.exists():
            place.replace(old)
        new.replace(place)
    finally:
        if old.exists() and not place.exists():
            old.replace(place)
        for left in (new, old):
            shutil.rmtree(left, ignore_errors=True)
