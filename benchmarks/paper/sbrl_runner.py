"""Learns a Scalable Bayesian Rule List with pysbrl; runs in the environment that `make baselines` makes, not in ours.

    python sbrl_runner.py inputs.npz options.json outputs.npz

Candidate rules are frequent sets of true bits, mined class by class as pysbrl does it, but without the bits that are
false: with them there are four times as many pairs, most of which hold nearly everywhere.
"""

import json
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

np.int = int  # type: ignore[attr-defined]  # pysbrl still asks for it

import fim  # noqa: E402
from pysbrl import train_sbrl  # noqa: E402


def mine(bits, codes, options):
    """Frequent sets of columns, in an order that does not depend on hashing; the most frequent come first."""
    counts = {}
    for code in np.unique(codes):
        rows = [np.flatnonzero(row).tolist() for row in bits[codes == code]]
        found = fim.eclat(rows, supp=100 * options["min_support"], zmin=1, zmax=options["max_rule_len"])
        counts.update((tuple(sorted(items)), 0) for items, _ in found)
    sizes = [bits[:, list(items)].all(axis=1).sum() for items in counts]
    order = sorted(zip(sizes, counts, strict=True), key=lambda pair: (-pair[0], pair[1]))
    return [items for _, items in order][: options["max_rules"]]


def write_items(path, names, columns, rows):
    with path.open("w") as file:
        file.write(f"n_items: {len(names)}\nn_samples: {rows}\n")
        for name, column in zip(names, columns, strict=True):
            text = np.full(2 * rows, ord(" "), dtype=np.uint8)
            text[0::2] = column + ord("0")
            file.write(name + " " + text[:-1].tobytes().decode() + "\n")


def learn(bits, codes, classes, rules, options, seed):
    with tempfile.TemporaryDirectory() as folder:
        data, labels = Path(folder, "data"), Path(folder, "labels")
        held = (bits[:, list(items)].all(axis=1).astype(np.uint8) for items in rules)
        names = ["{" + ",".join(f"x{item}=1" for item in items) + "}" for items in rules]
        write_items(data, names, held, len(bits))
        rows_of = ((codes == code).astype(np.uint8) for code in range(classes))
        write_items(labels, [f"{{label={code}}}" for code in range(classes)], rows_of, len(bits))
        ids, outputs, *_ = train_sbrl(
            str(data),
            str(labels),
            options["lambda_"],
            eta=options["eta"],
            max_iters=options["iters"],
            n_chains=options["n_chains"],
            seed=seed,
        )
    return [rules[number - 1] if number else () for number in ids], np.asarray(outputs)


def answer(bits, chosen, outputs):
    """The first rule of the list that holds decides; the last one is empty and always holds."""
    answers = np.zeros(len(bits), dtype=np.int64)
    waiting = np.ones(len(bits), dtype=bool)
    for items, shares in zip(chosen, outputs, strict=True):
        caught = waiting & bits[:, list(items)].all(axis=1)
        answers[caught] = int(np.argmax(shares))
        waiting &= ~caught
    return answers


def main():
    given = np.load(sys.argv[1])
    options = json.loads(Path(sys.argv[2]).read_text())
    start = perf_counter()
    rules = mine(given["train"], given["codes"], options)
    mined = perf_counter()
    chosen, outputs = learn(given["train"], given["codes"], int(given["classes"]), rules, options, options["seed"])
    learned = perf_counter()
    answers = answer(given["test"], chosen, outputs)
    np.savez(
        sys.argv[3],
        answers=answers,
        edges=sum(len(items) + 1 for items in chosen),
        rules=len(chosen),
        candidates=len(rules),
        fit=learned - start,
        mine=mined - start,
        predict=perf_counter() - learned,
    )


if __name__ == "__main__":
    main()
