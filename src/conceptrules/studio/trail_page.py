"""The trail as a page of its own, which prints well: what was changed, by whom, why, and with what effect."""

from __future__ import annotations

from collections.abc import Iterator

from conceptrules import __version__
from conceptrules.draw.appearance import escape_text
from conceptrules.edit.trail import describe_effect, edit_text
from conceptrules.model.content_hash import content_hash
from conceptrules.model.network import RuleNetwork
from conceptrules.model.text import network_text
from conceptrules.model.trail import TrailEntry, find_tampering
from conceptrules.studio.session import Session

_STYLE = """
body { font: 11pt/1.45 Georgia, serif; color: #111; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 1.6em; } p { margin: 0.15em 0; }
li { margin-bottom: 0.9em; break-inside: avoid; } .quiet { color: #555; font-size: 0.92em; }
pre { white-space: pre-wrap; font-size: 0.85em; }
.hash { font: 0.75em monospace; overflow-wrap: anywhere; color: #555; }
.sign { border-top: 1px solid #111; width: 20rem; margin-top: 3.5em; padding-top: 0.2em; break-inside: avoid; }
@media print { body { margin: 0; max-width: none; } }
"""


def describe_entry(entry: TrailEntry, network: RuleNetwork) -> Iterator[str]:
    """Yield an entry in words: what, who and why, and what it did."""
    yield edit_text(entry, network.trail)
    yield f"{entry.who}, {entry.when} UTC: {entry.why or 'no reason was given'}"
    if entry.effect:
        yield ", ".join(describe_effect(entry.effect))


def trail_html(session: Session) -> str:
    """Return the page."""
    network, name = session.network, escape_text(session.file.path.name)
    problem = find_tampering(network)
    state = "Every entry is as it was written." if problem is None else f"Not as it was written: {problem}."
    entries = "".join(
        "<li>" + "".join(f"<p>{escape_text(line)}</p>" for line in describe_entry(entry, network))
        + f'<p class="hash">{escape_text(entry.hash)}</p></li>'
        for entry in network.trail
    )  # fmt: skip
    rules = "\n".join(map(escape_text, network_text(network).splitlines()))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>The trail of {name}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head><body>'
        f"<h1>The trail of {name}</h1>"
        f'<p class="quiet">The rules have the hash <span class="hash">{content_hash(network)}</span>. {state}</p>'
        f"<h2>Changes</h2>{f'<ol>{entries}</ol>' if entries else '<p>There are none.</p>'}"
        f"<h2>The rules now</h2><pre>{rules}</pre>"
        f'<p class="sign">Date, name, signature</p>'
        f'<p class="quiet">Written by conceptrules {__version__}. '
        f"<code>conceptrules log --verify {name}</code> checks the hashes.</p></body></html>"
    )
