"""The web server of the studio: on this machine only, behind a token that every request and the websocket need."""

from __future__ import annotations

import ipaddress
import secrets
import socket
import webbrowser
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from conceptrules.model.errors import InputError
from conceptrules.studio.session import Session

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = "127.0.0.1"
# The framework of the page writes its own scripts and styles into it; nothing may come from, or go to, anywhere else.
_HEADERS = {
    "content-security-policy": (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; font-src 'self' data:; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
    ),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


class Guard:
    """Lets only requests through that have the token in their path, and come from the page itself."""

    def __init__(self, app: App, token: str, host: str, port: int) -> None:
        self.app, self.token, self.host, self.port = app, token, host, port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif refusal := self._find_refusal(scope):
            await _refuse(scope, receive, send, *refusal)
        else:
            await self.app(scope, receive, _with_headers(send))

    def _find_refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Return the status and the reason if a request is refused."""
        headers = {name.lower().decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if not self._is_own(headers.get("host", "")):
            return 400, "this studio does not go by that name"
        scheme, _, place = headers.get("origin", "").partition("://")
        if scheme and not (scheme == "http" and self._is_own(place)):
            return 403, "this request comes from another page"
        token, _, _ = scope["path"].removeprefix("/").partition("/")
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            return 404, "the address needs the token that conceptrules studio has printed"
        return None

    def _is_own(self, place: str) -> bool:
        """Return whether a host with its port is what this server is known by.

        A name that somebody else can point at this machine is not. Where the server listens on all addresses, any
        address will do, but no name.
        """
        host, _, port = place.rpartition(":")
        if port != str(self.port):
            return False
        if host in (self.host, "localhost", f"[{self.host}]"):
            return True
        return self.host in ("0.0.0.0", "::") and _is_address(host.strip("[]"))


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, reason: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": reason})
        return
    body = f"{reason}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _with_headers(send: Send) -> Send:
    async def send_more(message: Any) -> None:
        if message["type"] == "http.response.start":
            more = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await send(message)

    return send_more


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens on a port; 0 is any free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    if socket.has_dualstack_ipv6() or family == socket.AF_INET:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen()  # from here on a browser waits for the server, which takes a moment to start
    except OSError as error:
        listener.close()
        if port:
            raise InputError(f"port {port} of {host} cannot be had: {error.strerror}; take another --port") from None
        raise InputError(f"cannot listen on {host}: {error.strerror}") from None
    return listener


def serve(session: Session, listener: socket.socket, host: str, say: Callable[[str], None], browser: bool) -> None:
    """Show a session in a browser until Ctrl-C."""
    import uvicorn
    from fastapi import FastAPI
    from nicegui import ui

    from conceptrules.studio.pages.frame import Studio

    token, port = secrets.token_urlsafe(24), listener.getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{LOOPBACK if host in ('0.0.0.0', '::') else shown}:{port}/{token}/"
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    studio = Studio(session)
    studio.add_downloads()
    ui.run_with(
        app,
        root=studio.show_page,
        mount_path=f"/{token}",
        title=f"{session.file.path.name} - conceptrules studio",
        favicon="🔍",
        dark=None,
        language="en-US",
        tailwind=False,
        show_welcome_message=False,
        reconnect_timeout=30,
    )
    guarded = Guard(app, token, host, port)
    config = uvicorn.Config(
        guarded, log_level="error", access_log=False, server_header=False, timeout_graceful_shutdown=2
    )
    say(f"The studio is at {address}\nCtrl-C ends it. Every change is in {session.file.path.name} once it is made.")
    if browser:
        webbrowser.open(address)
    uvicorn.Server(config).run(sockets=[listener])
