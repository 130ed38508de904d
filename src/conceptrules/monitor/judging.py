"""Triggers on the figures of a monitoring: which of them fire, and which cannot be judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy.triggers import Trigger
from conceptrules.model.rule_reader import nearest_name
from conceptrules.model.text import rule_name, rule_text
from conceptrules.monitor.monitoring import FiredTrigger, Monitoring


def check_subjects(network: RuleNetwork, triggers: Sequence[Trigger]) -> None:
    """Raise where a trigger is about a rule or a column that is not there."""
    known = [*network.used_columns, "answers", "scores", "classes that fire", *_rule_words(network)]
    for trigger in triggers:
        if trigger.of and trigger.of not in known:
            hint = nearest_name(trigger.of, known)
            raise InputError(f"monitor: {trigger.when!r} is of {trigger.of!r}, which is no rule or used column; {hint}")


def _rule_words(network: RuleNetwork) -> dict[str, str]:
    """Return the words of each rule by all that people call it."""
    words: dict[str, str] = {}
    for level, nodes in enumerate(network.levels):
        for rule in range(len(nodes.rules)):
            text = rule_text(network, level, rule)
            words |= {text: text, rule_name(level, rule): text}
    return words | {name: words[node] for node, name in network.names if node in words}


def judge_triggers(network: RuleNetwork, whole: Monitoring, triggers: Sequence[Trigger]) -> Monitoring:
    """Return the monitoring with the triggers that fired, and those that nothing could be said of."""
    words = _rule_words(network)
    fired, unjudged = [], []
    for trigger in triggers:
        parts = {"all": (("", whole),), "groups": whole.groups, "periods": whole.periods}[trigger.within]
        about = words.get(trigger.of, trigger.of)
        pairs = [
            (name, figure)
            for name, part in parts
            for figure in part.all_figures
            if figure.name == trigger.figure and about in ("", figure.of)
        ]
        if not pairs:
            unjudged.append(f"{trigger.when}: {_say_why(whole, trigger)}")
        fired += [FiredTrigger(trigger, figure, name) for name, figure in pairs if figure.fires(trigger)]
    return replace(whole, fired=tuple(fired), unjudged=tuple(unjudged))


def _say_why(whole: Monitoring, trigger: Trigger) -> str:
    if trigger.within != "all" and not (whole.groups if trigger.within == "groups" else whole.periods):
        return f"there are no {trigger.within}"
    if not whole.labelled and trigger.figure in ("precision", "accuracy", "auc", "calibration", "mae", "bias"):
        return "there are no labels"
    return "this network, or what is known of its training, has no such figure"
