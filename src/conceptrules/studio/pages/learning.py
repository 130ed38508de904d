"""Learning again around locked rules, with alternatives to choose from."""

from __future__ import annotations

from functools import partial

from nicegui import ui

from conceptrules.edit.trail import dropped_rules
from conceptrules.model.errors import ConceptRulesError
from conceptrules.model.policy import Banned, Locked, Policy
from conceptrules.model.text import plural
from conceptrules.studio.learning import Alternative, Alternatives, learn_again, take_alternative
from conceptrules.studio.pages.editor import open_panel, write_title
from conceptrules.studio.pages.effects import EditTrial, as_number
from conceptrules.studio.pages.frame import Page, heading, run_aside, say


def show(page: Page) -> None:
    """Show what stays, the options, and what was learned last."""
    network = page.session.network
    policy = network.policy or Policy()
    locked, banned = policy.of_kind(Locked), policy.of_kind(Banned)
    say("Learns from the given rows. Locked rules stay word for word; banned and dropped ones are not learned again.")
    for title, rules in (
        ("Locked", [lock.rule for lock in locked]),
        ("Banned or dropped", [ban.rule for ban in banned] + [rule for rule, _ in dropped_rules(network)]),
    ):
        say(f"{title}: {'; '.join(dict.fromkeys(rules)) or 'none'}").classes("quiet")
    with ui.element("div").classes("bar"):
        effort = ui.select(["fast", "default", "best"], value="fast", label="How hard to try")
        largest = ui.number("At most so many edges", precision=0, min=1)
        seeds = ui.number("Tries, each with another seed", value=1, precision=0, min=1, max=10)
        for field in (effort, largest, seeds):
            field.props("outlined dense")
        button = ui.button("Learn again").props("no-caps")
    status = ui.element("div").props("aria-live=polite")
    results = ui.element("div")

    async def learn() -> None:
        button.set_enabled(False)
        results.clear()
        status.clear()
        with status:
            progress, told = say("Learning ..."), ["Learning ..."]
            clock = ui.timer(0.5, lambda: progress.set_content(told[-1]))  # the thread that learns has no page
        most = as_number(largest.value)
        options = (str(effort.value), None if most is None else int(most), int(as_number(seeds.value) or 1))
        try:
            found = await run_aside(learn_again, page.session, *options, told.append)
        except ConceptRulesError as error:
            page.complain(str(error))
            found = None
        button.set_enabled(True)
        clock.cancel()
        status.clear()
        page.state["learned"] = found
        with results:
            _show_alternatives(page)

    button.on_click(learn)
    with results:
        _show_alternatives(page)


def _show_alternatives(page: Page) -> None:
    learned: Alternatives | None = page.state.get("learned")
    if learned is None:
        return
    heading(2, "What was learned")
    say(
        f"{plural(len(learned.found), 'network')}, judged by {learned.score_name} on held-out rows. Those marked have "
        "about the best score: choose the one that you can answer for."
    )
    with (
        ui.element("div").classes("scroll").props('tabindex=0 role=region aria-label="What was learned"'),
        ui.element("table"),
    ):
        with ui.element("thead"), ui.element("tr"):
            for name in ("rules", "edges", learned.score_name, "", "seed", ""):
                say(name, "th").props("scope=col")
        with ui.element("tbody"):
            for each in learned.found:
                with ui.element("tr").props("data-test=alternative"):
                    marks = ["about the best"] * each.close + ["the learner's choice"] * each.chosen
                    score, size = learned.score_text(each), str(each.edges)
                    cells = (str(each.rules), size, score, ", ".join(marks), str(each.seed))
                    for cell in cells:
                        say(cell, "td")
                    with ui.element("td"):
                        look = ui.button("Look at it", on_click=partial(_look, page, each))
                        look.props(f'no-caps outline dense aria-label="Look at the network with {size} edges"')


async def _look(page: Page, alternative: Alternative) -> None:
    """Open the panel that shows a network that was learned, and what taking it would do."""
    with open_panel(page, "Take the rules that were learned") as panel, ui.element("div").classes("panel"):
        form = ui.element("div")
        trial = EditTrial(page, panel.close, learned=alternative.network)
    with form:
        write_title("Take the rules that were learned", panel)
        ui.html(f"<pre>{'<br>'.join(_lines(alternative))}</pre>", sanitize=False).classes("scroll")
    try:
        operation = take_alternative(page.session, alternative)
    except ConceptRulesError as error:
        trial.refuse(str(error))
        return
    await trial.run(operation)


def _lines(alternative: Alternative) -> list[str]:
    from conceptrules.draw.appearance import escape_text
    from conceptrules.model.text import network_text

    return [escape_text(line) for line in network_text(alternative.network).splitlines()]
