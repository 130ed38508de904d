"""The studio in a real browser, as a person would use it."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyarrow import csv

from conceptrules.cli import main
from conceptrules.io import load, save
from conceptrules.model.trail import find_break
from conceptrules.studio.model_file import ModelFile
from tests.edit.test_editing import NETWORK
from tests.studio.test_session import CARD_FRAME, FRAME, LABELS, NUMBER

pytest.importorskip("nicegui")
duckdb = pytest.importorskip("duckdb")
POLICY = 'better = "yes"\n[monotone]\nage = "up"\n'


@contextmanager
def studio(folder: Path, *options: str):
    """The address of a studio that runs in a process of its own, and the process."""
    command = [
        sys.executable,
        "-c",
        "from conceptrules.cli import main; main()",
        "studio",
        "model.json",
        "rows.csv",
        "--no-browser",
        *options,
    ]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=-1, stderr=-1, text=True)
    try:
        line = process.stdout.readline()
        address = re.search(r"http://\S+", line)
        assert address, line + process.stderr.read()
        yield address[0], process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def folder(tmp_path):
    save(NETWORK, tmp_path / "model.json")
    csv.write_csv(FRAME.append_column("answer", [LABELS]), tmp_path / "rows.csv")
    (tmp_path / "policy.toml").write_text(POLICY)
    return tmp_path


@pytest.fixture
def open_studio(browser):
    """Opens an address; any complaint of the page, or request to elsewhere, fails the test."""
    contexts, problems, requests = [], [], []

    def opening(address: str, **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: requests.append((address, request.url)))
        page.goto(address)
        page.get_by_role("button", name="Add a rule").wait_for()
        return page

    yield opening
    for context in contexts:
        context.close()
    assert [problem for problem in problems if "ERR_CONNECTION_REFUSED" not in problem] == []
    assert [url for address, url in requests if not url.startswith((address, address.replace("http", "ws")))] == []


FLIPPED = sum(41 < each["age"] <= 45 and each["job"] == "nurse" for each in FRAME.to_pylist())
OPTIONS = ("--target", "answer", "--policy", "policy.toml", "--who", "anna")


def give_reason(page, reason, button="Make this change"):
    page.get_by_label("The reason; the trail keeps it").fill(reason)
    page.get_by_role("button", name=button).click()


def be_refused(page):
    """By the policy, with its counterexample."""
    page.get_by_role("button", name="Add a rule").click()
    page.get_by_label("The rule in words").fill("age <= 30 and pay <= 500")
    page.get_by_role("button", name="Show what this does").click()
    refusal = page.locator("[data-test=refused]").inner_text()
    assert refusal.startswith("Not possible: the change breaks what the policy asks for: monotone.age")
    assert "is yes: because age <= 30 and pay <= 500" in page.locator("[data-test=policy]").inner_text()
    assert page.get_by_role("button", name="Make this change").count() == 0
    page.keyboard.press("Escape")


def be_told_what_cannot_be_read(page, folder):
    """And nothing is lost."""
    page.locator("input[type=file]").set_input_files(folder / "rows.csv")
    page.get_by_text("Only .xlsx files of at most 20 MB are read").wait_for()
    content = (folder / "model.json").read_text()
    (folder / "model.json").write_text("{")
    page.get_by_role("tab", name="History").click()
    page.get_by_role("button", name="Undo").click()
    give_reason(page, "too late", "Take the last change back")
    page.get_by_text("was changed on disk by something else, so that nothing is written").wait_for()
    page.get_by_role("button", name="Read the file again").click()
    page.get_by_text("the model ends too early").wait_for()
    (folder / "model.json").write_text(content)
    page.get_by_role("button", name="Read the file again").click()
    page.get_by_role("button", name="Read the file again").wait_for(state="detached")
    page.get_by_text("✓ bea (risk)").wait_for()


def test_a_person_changes_learns_signs_and_finds_everything_after_a_crash(folder, open_studio):
    with studio(folder, *OPTIONS) as (address, process):
        page = open_studio(address)
        # Move a cut, and read who flips.
        page.get_by_role("button", name="Change the rule age > 41 and job = nurse").click()
        page.get_by_role("button", name="Move the cut 41 of age").click()
        cut = page.get_by_label("The new cut of age")
        cut.fill("45")
        cut.press("Enter")
        assert page.locator("[data-test=flips]").inner_text() == f"{FLIPPED} of 300 rows get another class"
        give_reason(page, "older nurses only")
        page.get_by_role("button", name="Change the rule age > 45 and job = nurse").wait_for()
        assert load(folder / "model.json").trail[-1].why == "older nurses only"
        be_refused(page)
        # Lock a rule, and learn again around it.
        page.get_by_role("button", name="Change the rule pay > 1000").click()
        page.get_by_role("button", name="Lock it").click()
        give_reason(page, "guideline")
        page.get_by_role("tab", name="Learn again").click()
        page.get_by_text("Locked: pay > 1000").wait_for()
        page.get_by_role("button", name="Learn again").click()
        page.get_by_role("button", name="Look at the network").last.click()
        give_reason(page, "the newest rows")
        page.get_by_text("Made, and written to the file").last.wait_for()
        # Sign.
        page.get_by_role("tab", name="History").click()
        page.get_by_label("Name", exact=True).fill("bea")
        page.get_by_label("Role").fill("risk")
        page.get_by_label("What you have checked, and why you sign").fill("looked at every rule")
        page.get_by_role("button", name="Sign").click()
        page.get_by_text("✓ bea (risk)").wait_for()
        process.kill()  # and nothing is lost
    network = load(folder / "model.json")
    assert [entry.edit["kind"] for entry in network.trail] == ["policy", "change", "lock", "take-rules", "sign"]
    assert find_break(network.trail) is None
    with studio(folder, *OPTIONS) as (address, _):
        page = open_studio(address, viewport={"width": 390, "height": 844})
        assert page.locator("[data-test=rule]").filter(has_text="pay > 1000").filter(has_text="locked").count() == 1
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.get_by_role("tab", name="History").click()
        page.get_by_text("✓ bea (risk)").wait_for()
        page.get_by_role("tab", name="Export").click()
        with page.expect_download() as download:
            page.get_by_role("link", name="SQL: a query").click()
        assert ask_duckdb(download.value.path()) == network.predict(FRAME).tolist()
        be_told_what_cannot_be_read(page, folder)


def ask_duckdb(path: Path) -> list[str]:
    query = path.read_text()
    with duckdb.connect() as database:
        database.register("data", FRAME)
        result = database.execute(query)
        place = [column[0] for column in result.description].index("prediction")
        return [row[place] for row in result.fetchall()]


NAMELESS = re.compile(r'- (?:button|link|textbox|combobox|slider|spinbutton|checkbox|radio|tab)\b(?! ").*')


def check_names(page) -> None:
    """Every control of the page has a name that a screen reader can say."""
    assert NAMELESS.findall(page.locator("body").aria_snapshot()) == []


def tab_to(page, control: str) -> None:
    """Press Tab until a control has the focus; whatever has it on the way has to have a role and a name."""
    for _ in range(60):
        page.keyboard.press("Tab")
        focus = page.locator(":focus")
        if focus.count():
            line = focus.aria_snapshot().splitlines()[0]
            assert re.match(r'- \w+ "[^"]', line), f"the focus is on something without a name: {line}"
            if line.startswith(f"- {control}"):
                return
    raise AssertionError(f"{control} cannot be reached with Tab")


def test_the_keyboard_alone_suffices(folder, open_studio):
    with studio(folder, *OPTIONS) as (address, _):
        page = open_studio(address)
        press, write = page.keyboard.press, page.keyboard.type
        tab_to(page, 'button "Change the rule age > 41 and job = nurse"')
        press("Enter")
        tab_to(page, 'button "Move the cut 41 of age"')
        press("Enter")
        page.get_by_role("slider", name="The cut of age").wait_for()
        for _ in range(4):
            press("ArrowRight")
        page.get_by_text(f"{FLIPPED} of 300 rows get another class").wait_for()
        tab_to(page, 'textbox "The reason; the trail keeps it"')
        write("older nurses only")
        press("Enter")
        page.locator(".work:focus").wait_for()
        tab_to(page, 'button "Change the rule age > 45 and job = nurse"')
        tab_to(page, 'tab "Rules"')
        for _ in range(3):
            press("ArrowRight")
        press("Enter")
        page.get_by_role("button", name="Undo").wait_for()
        tab_to(page, 'button "Undo"')
        press("Enter")
        page.get_by_role("dialog", name="Take the last change back").locator(":focus").wait_for()
        write("the board said no")
        press("Enter")
        page.get_by_text("the board said no").wait_for()
    trail = load(folder / "model.json").trail
    assert [(entry.edit["kind"], entry.why) for entry in trail[1:]] == [
        ("change", "older nurses only"),
        ("undo", "the board said no"),
    ]


def test_a_card_that_predicts_a_number_is_changed_in_its_unit(folder, open_studio):
    save(NUMBER, folder / "model.json")
    numbers = NUMBER.predict(CARD_FRAME)
    csv.write_csv(CARD_FRAME.append_column("price", [numbers]), folder / "rows.csv")
    with studio(folder, "--who", "anna") as (address, _):
        page = open_studio(address)
        check_names(page)
        page.get_by_role("button", name="Change the rule job != cook").click()
        page.get_by_role("button", name="Set its points").click()
        points = page.get_by_label("what it adds to price, in steps of 0.5")
        assert points.input_value() == "2"  # four steps
        points.fill("3.5")
        points.press("Enter")
        changed = sum(job != "cook" for job in CARD_FRAME["job"].to_pylist())
        effect = page.get_by_role("region", name="What this would do")
        effect.get_by_text(f"{changed} of 300 rows get another number, by at most 1.5").wait_for()
        effect.get_by_text("Some rows get another number. For example, this one goes from 2.5 to 4:").wait_for()
        assert "mean absolute error" in effect.inner_text()
        check_names(page)
        give_reason(page, "dearer")
        page.get_by_role("button", name="Change the rule job != cook").wait_for()
        assert load(folder / "model.json").predict(CARD_FRAME).max() == numbers.max() + 1.5
        for tab, text in (("Learn again", "Learns from"), ("Check", "Proved of 4 rules"), ("Export", "spreadsheet in")):
            page.get_by_role("tab", name=tab).click()
            page.get_by_text(text).first.wait_for()
            check_names(page)
        page.get_by_role("tab", name="History").click()
        check_names(page)
        page.get_by_role("button", name="Undo").click()
        page.get_by_label("The reason; the trail keeps it").fill("too dear")
        page.keyboard.press("Enter")
        page.get_by_text("too dear").wait_for()
    assert (load(folder / "model.json").predict(CARD_FRAME) == numbers).all()


def test_mistakes_are_one_line_each(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)

    def run(*arguments: str) -> str:
        with pytest.raises(SystemExit) as end:
            main(["studio", *arguments, "--no-browser"])
        told = capsys.readouterr().err
        assert (end.value.code, told.count("\n")) == (2, 1)
        return told

    assert "the studio shows what changes do to rows: conceptrules studio model.json data.csv" in run("model.json")
    (folder / "other.csv").write_text("age,answer\n50,yes\n")
    assert "there is no column 'job' in other.csv" in run("model.json", "other.csv")
    (folder / "empty.csv").write_text("age,job,pay\n")
    assert "empty.csv has column names but no rows" in run("model.json", "empty.csv")
    (folder / "wrong.toml").write_text('[monotone]\nheight = "up"\n')
    assert "height" in run("model.json", "rows.csv", "--policy", "wrong.toml")
    assert "--port 70000 is out of range" in run("model.json", "rows.csv", "--port", "70000")
    with ModelFile.open("model.json"):
        assert "model.json is open in another studio" in run("model.json", "rows.csv")
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert f"port {port} of 127.0.0.1 cannot be had" in run("model.json", "rows.csv", "--port", str(port))
    assert load("model.json") == NETWORK
