"""Only requests with the token, from the page itself, get through; the websocket is no exception."""

import socket
from contextlib import suppress

import pytest

from conceptrules.model import InputError
from conceptrules.studio.server import Guard, bind

TOKEN = "s3cret"


async def _answer(scope, receive, send):
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"in"})


def ask(path=f"/{TOKEN}/", kind="http", host="127.0.0.1:8000", origin=None, listening="127.0.0.1"):
    """The messages that come back."""
    headers = [(b"host", host.encode())] if host else []
    headers += [(b"origin", origin.encode())] if origin else []
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": f"{kind}.connect"}

    scope = {"type": kind, "path": path, "headers": headers}
    call = Guard(_answer, TOKEN, listening, 8000)(scope, receive, send)
    with suppress(StopIteration):  # it waits for nothing, and a loop of Playwright's may be running
        call.send(None)
    return sent


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    ("request_", "passes"),
    [
        ({}, True),
        ({"host": "localhost:8000"}, True),
        ({"origin": "http://127.0.0.1:8000"}, True),
        ({"origin": "http://localhost:8000", "path": f"/{TOKEN}/_nicegui_ws/socket.io/"}, True),
        ({"path": "/"}, False),
        ({"path": ""}, False),
        ({"path": "/s3cre/"}, False),
        ({"path": f"/x/{TOKEN}/"}, False),
        ({"path": f"/{TOKEN}x/"}, False),
        ({"path": "/s\u00e9cret/"}, False),
        ({"host": "evil.example:8000"}, False),
        ({"host": "127.0.0.1"}, False),
        ({"host": "127.0.0.1:9000"}, False),
        ({"host": ""}, False),
        ({"host": "192.168.1.7:8000"}, False),
        ({"origin": "http://evil.example"}, False),
        ({"origin": "https://127.0.0.1:8000"}, False),
        ({"origin": "http://127.0.0.1:8001"}, False),
        ({"origin": "null"}, False),
        ({"host": "192.168.1.7:8000", "listening": "0.0.0.0"}, True),
        ({"host": "evil.example:8000", "listening": "0.0.0.0"}, False),
        ({"host": "[::1]:8000", "listening": "::1"}, True),
    ],
)
def test_who_gets_in(kind, request_, passes):
    first = ask(kind=kind, **request_)[0]
    if kind == "http":
        assert (first["status"] == 200) == passes
    else:
        assert first["type"] == ("websocket.accept" if passes else "websocket.close")


def test_the_page_may_load_nothing_from_elsewhere():
    headers = dict(ask()[0]["headers"])
    assert b"default-src 'self'" in headers[b"content-security-policy"]
    assert headers[b"referrer-policy"] == b"no-referrer"


def test_a_port_in_use_is_one_line():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(InputError, match=f"port {port} of 127.0.0.1 cannot be had"):
            bind("127.0.0.1", port)
    with pytest.raises(InputError, match=r"cannot listen on 203\.0\.113\.9"):
        bind("203.0.113.9", 0)
