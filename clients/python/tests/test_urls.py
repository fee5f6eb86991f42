"""Where a client may send its secret, which URL it uses, and what it cannot send."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from sombus import AsyncBus, Bus, NoResponse
from sombus.core import checked_address


@pytest.mark.parametrize(
    "given", ["https://bus.example", "https://bus.example/", "https://bus.example/v1", "https://bus.example/v1/"]
)
def test_the_version_is_there_once(given: str) -> None:
    assert checked_address(given) == "https://bus.example/v1"


def test_a_path_before_the_version_stays() -> None:
    assert checked_address("https://tests.example/bus") == "https://tests.example/bus/v1"


@pytest.mark.parametrize("given", ["http://bus.example", "http://127.0.0.1.example/v1", "bus.example"])
def test_no_secret_travels_in_the_clear(given: str) -> None:
    with pytest.raises(ValueError, match="does not use https"):
        checked_address(given)


class _Recorder(BaseHTTPRequestHandler):
    """Answers as a token route that knows nobody, and keeps what it was asked."""

    asked: list[str]

    def do_POST(self) -> None:
        self.asked.append(self.path)
        body = b'{"error": "invalid_client", "error_description": "Nobody knows this client."}'
        self.send_response(401)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_CONNECT(self) -> None:
        self.asked.append(f"CONNECT {self.path}")
        self.send_error(403)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def recorder() -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Recorder,), {"asked": asked}))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


ACCOUNT = {"workspace": "wnews", "client_id": "cproducer", "client_secret": "sbs_secret"}


def test_a_bus_on_this_machine_is_called_without_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with recorder() as (proxy, through), recorder() as (here, asked):
        for name in ("HTTP_PROXY", "HTTPS_PROXY"):
            monkeypatch.setenv(name, proxy)
        with Bus(base_url=here, **ACCOUNT) as bus:
            assert bus.backlog().outcome == "token_refused"

        async def call() -> str:
            async with AsyncBus(base_url=here, **ACCOUNT) as bus:
                return (await bus.backlog()).outcome

        assert asyncio.run(call()) == "token_refused"
    assert (through, asked) == ([], ["/v1/oauth/token"] * 2)


def test_a_bus_elsewhere_is_called_through_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with recorder() as (proxy, through):
        monkeypatch.setenv("HTTPS_PROXY", proxy)
        with Bus(base_url="https://bus.example", deadline=0.1, **ACCOUNT) as bus, pytest.raises(NoResponse):
            bus.backlog()
    assert set(through) == {"CONNECT bus.example:443"}


@pytest.mark.parametrize("message", [{"headline": "half \ud83d"}, '{"headline": "half \ud83d"}'])
def test_half_of_a_surrogate_pair_is_told_before_it_is_sent(message: Any) -> None:
    with Bus(base_url="https://bus.example", **ACCOUNT) as bus:
        with pytest.raises(ValueError, match=r"U\+D83D, after '.*half ', is half of a surrogate pair") as told:
            bus.validate(message)
    assert not isinstance(told.value, UnicodeError)
