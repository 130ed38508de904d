"""Random networks of one level through spreadsheets and DMN and back: no decision and no score may change."""

from __future__ import annotations

import io
import time

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from conceptrules.export import export
from conceptrules.export.tables import read_dmn, read_xlsx
from conceptrules.export.verify.comparison import compare
from conceptrules.export.verify.engine import covering_trial, make_trial
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from tests.strategies import networks, number_cards, scorecards

NETWORKS = 200
"""Between two looks at the clock."""
UNSAYABLE = ("infinite number", "would both read", "a cell holds")
KINDS = st.sampled_from([networks, scorecards, number_cards])


def list_differences(network: RuleNetwork) -> list[str]:
    """Return what does not come back as it went out."""
    written = export(network, "xlsx")
    found = [f"{edit.text!r}" for edit in read_xlsx(io.BytesIO(written), network).operations]
    found += map(str, compare(network, "xlsx", written, limit=60).mismatches)
    again, trial = read_dmn(export(network, "dmn")), covering_trial(network, 60)
    answers = make_trial(again, trial.values, len(trial)).expected
    days = [trial.values[column.name] for column in network.columns if column.kind == "date"]
    for row in range(len(trial)):
        whole = all(not day[row] or day[row] % 86_400e6 == 0 for day in days)
        same = answers.classes[row] == trial.expected.classes[row]
        if network.head is not None:
            same = same and (answers.scores[row] == trial.expected.scores[row]).all()
        if whole and not same:
            found.append(f"DMN decides otherwise on {trial.row(row)!r}")
    return found


def attack(start: int, examples: int = NETWORKS) -> int:
    """Try so many networks, and return how many a table can say."""
    said = 0

    @seed(start)
    @settings(max_examples=examples, phases=(Phase.generate,), deadline=None, database=None,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(data=st.data())
    def try_network(data: st.DataObject) -> None:
        nonlocal said
        network = data.draw(data.draw(KINDS)(odd=data.draw(st.booleans()), flat=True))
        try:
            differences = list_differences(network)
        except InputError as error:
            if not any(words in str(error) for words in UNSAYABLE):
                raise
            return
        said += 1
        assert differences == []

    try_network()
    return said


def main(minutes: float, start: int) -> None:
    """Go on until the time is up."""
    end, said = time.monotonic() + 60 * minutes, 0
    while time.monotonic() < end:
        said += attack(start)
        start += 1
        print(
            f"{said} networks went through spreadsheets and DMN without a difference; next: --start {start}", flush=True
        )
