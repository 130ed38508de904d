"""`conceptrules fit`: a network learned from a table, as a model file."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from conceptrules.cli.files.file_names import STREAM, check_model_output, check_not_input, naming
from conceptrules.cli.learner import Polish, Settings, learning_task
from conceptrules.cli.options import (
    Data,
    Device,
    Drop,
    Effort,
    Jobs,
    Kinds,
    Layers,
    MaxCategories,
    MaxEdges,
    MaxEpochs,
    MaxRuleLength,
    MaxRules,
    Negation,
    Only,
    Quiet,
    Rate,
    RecipeName,
    Scoring,
    Seed,
    Target,
)
from conceptrules.model.network import RuleNetwork
from conceptrules.model.text import plural


def fit(
    data: Data,
    *,
    target: Target,
    output: Annotated[str, typer.Option("--output", "-o", help="The model file; - for standard output.")],
    drop: Drop,
    only: Only,
    kind: Kinds,
    recipe: RecipeName = "polished",
    effort: Effort = "default",
    scoring: Scoring = "macro-F1",
    max_edges: MaxEdges = None,
    max_rules: MaxRules = None,
    max_rule_length: MaxRuleLength = None,
    layers: Layers = "auto",
    rate: Rate = "auto",
    negation: Negation = None,
    max_epochs: MaxEpochs = 400,
    max_categories: MaxCategories = 256,
    seed: Seed = 0,
    n_jobs: Jobs = -1,
    device: Device = "auto",
    quiet: Quiet = False,
) -> None:
    """Learn a network from a table and write it to a file."""
    check_model_output(output)
    check_not_input(output, [data])
    polish = Polish(recipe, effort, scoring, max_edges, max_rules, max_rule_length)
    settings = Settings(polish, layers, rate, negation, max_epochs, max_categories, seed, n_jobs, device)
    clf, X, y = learning_task(data, target, drop, only, kind, settings)
    start = perf_counter()
    network = clf.fit(X, y).network_
    _write(network, output)
    if not quiet:
        rules = sum(len(level.rules) for level in network.levels)
        counts = f"{plural(rules, 'rule')}, {plural(network.edges, 'edge')}"
        typer.echo(f"{counts}, learned from {plural(len(y), 'row')} in {perf_counter() - start:.1f} s", err=True)


def _write(network: RuleNetwork, output: str) -> None:
    from conceptrules.cli.files.writer import write_bytes
    from conceptrules.io.model_file import dumps, save

    if output == STREAM:
        write_bytes(dumps(network).encode(), output)  # UTF-8, whatever the terminal's encoding
        return
    with naming(output):
        save(network, Path(output).resolve())
