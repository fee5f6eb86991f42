"""Runs rows of clients/cases on the sync and the async client."""

from __future__ import annotations

import asyncio
import base64
import dataclasses
import json
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Callable
from urllib.parse import urlsplit

import httpx
from virtual_time import VirtualTime

import sombus

FOLDER = Path(__file__).parents[2] / "cases"
ACCOUNT = {
    "base_url": "https://bus.example/v1",
    "workspace": "wnewsroom2345",
    "client_id": "cproducer2345",
    "client_secret": "sbs_secret",
}
SYSTEM = {"system_id": "demo-ncs", "system_type": "ncs"}


def _filled(value: Any, names: dict[str, Any]) -> Any:
    if isinstance(value, str) and value.startswith("$"):
        return _filled(names[value[1:]], names)
    if isinstance(value, list):
        return [_filled(one, names) for one in value]
    if isinstance(value, dict):
        return {name: _filled(one, names) for name, one in value.items()}
    return value


def all_cases() -> list[dict[str, Any]]:
    tables = [json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))]
    return [_filled(case, table["let"]) for table in tables for case in table["cases"]]


def _plain(value: Any) -> Any:
    """A result in the spelling of the table."""
    if not dataclasses.is_dataclass(value):
        return [_plain(one) for one in value] if isinstance(value, tuple) else value
    members = {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    told = {name: one for name, one in members.items() if one is not None or name in ("family", "oldest_seconds")}
    outcome = getattr(value, "outcome", None)
    return {"outcome": outcome, **told} if outcome else told


class Mismatch(BaseException):
    """Something happened that the row does not say. No client may handle it."""


def expect(what: str, actual: Any, expected: Any) -> None:
    if actual != expected:
        raise Mismatch(f"{what}: {actual!r} instead of {expected!r}")


class HandlerFailed(Exception):
    pass


class Dripping(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body that comes byte by byte."""

    def __init__(self, content: bytes, seconds: float, time: VirtualTime) -> None:
        self._content, self._seconds, self._time = content, seconds, time

    def __iter__(self) -> Iterator[bytes]:
        for byte in self._content:
            self._time.sleep(self._seconds)
            yield bytes([byte])

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for byte in self:
            # A timeout cancels the task that waits for the reader, and that cancels the reader.
            for _ in range(3):
                await asyncio.sleep(0)
            yield byte


class Script:
    """The bus's side of a step, which checks the client's."""

    def __init__(self, time: VirtualTime, client_id: str, flow: list[dict[str, Any]]) -> None:
        self._time = time
        self._began = time.now()
        self._client_id = client_id
        self._flow = list(flow)
        self._bytes: bytes | None = None

    def take(self, what: str) -> dict[str, Any]:
        if not self._flow:
            raise Mismatch(f"{what}: nothing more should happen")
        item = self._flow.pop(0)
        if "at" in item:
            self.is_at(item["at"], what)
        return item

    def is_at(self, seconds: float, what: str) -> None:
        passed = self._time.now() - self._began
        if abs(passed - seconds) > 0.001:
            raise Mismatch(f"{what}: at {passed} s instead of {seconds} s")

    def end(self) -> None:
        expect("what did not happen", self._flow, [])

    def response(self, request: httpx.Request) -> httpx.Response:
        what = f"{request.method} {request.url.path}"
        item = self.take(what)
        self._check(request, item.get("request", {}))
        response, seconds = item.get("response", "lost"), item.get("after_seconds", 0)
        timeout = request.extensions["timeout"]["read"]
        self._time.sleep(min(seconds, timeout))
        if seconds > timeout:
            raise httpx.ReadTimeout("too late")
        if response == "silent":
            self._time.sleep(timeout, until_stop=True)
            raise httpx.ReadTimeout("silent")
        if response in ("lost", "cut"):
            raise httpx.RemoteProtocolError(response)
        content = (response["text"] if "text" in response else json.dumps(response["json"])).encode()
        if "byte_seconds" not in item:
            return httpx.Response(response["status"], headers=response.get("headers"), content=content)
        return httpx.Response(response["status"], stream=Dripping(content, item["byte_seconds"], self._time))

    def _check(self, request: httpx.Request, expected: dict[str, Any]) -> None:
        tenant = f"/v1/tenants/{ACCOUNT['workspace']}"
        queue = f"{tenant}/consumers/{self._client_id}"
        routes = {
            "token": "POST /v1/oauth/token",
            "publish": f"POST {tenant}/messages",
            "validate": f"POST {tenant}/validate",
            "pull": f"GET {queue}/messages",
            "ack": f"POST {queue}/ack",
            "nack": f"POST {queue}/nack",
            "backlog": f"GET {queue}/backlog",
            "skills": f"GET {queue}/skills",
        }
        route = expected.get("route")
        expect("request", f"{request.method} {request.url.path}", routes.get(route or ""))
        expect("origin", str(request.url.copy_with(path="/", query=None)), "https://bus.example/")
        if "token" in expected:
            expect("token", request.headers.get("authorization"), f"Bearer {expected['token']}")
        for name, value in expected.get("headers", {}).items():
            expect(name, request.headers.get(name), value)
        if "query" in expected:
            expect("query", urlsplit(str(request.url)).query, expected["query"])
        content = request.content
        if "json" in expected:
            expect("body", json.loads(content), expected["json"])
        if "text" in expected:
            expect("body", content.decode(), expected["text"])
        if "base64" in expected:
            expect("body", base64.b64encode(content).decode(), expected["base64"])
        if route == "publish":
            self._bytes = self._bytes or content
            expect("bytes of a retry", content, self._bytes)


class World:
    """A client under test, with everything outside it."""

    def __init__(self, case: dict[str, Any], is_async: bool) -> None:
        self.time = VirtualTime()
        self.is_async = is_async
        self.attempts: list[dict[str, Any]] = []
        self._before: Any = None
        self._random = 0
        given = dict(case.get("client", {}))
        self._hook_fails = given.pop("hook_fails", False)
        system = given.pop("system", SYSTEM)
        limits = {"deadline": given.pop("deadline_seconds")} if "deadline_seconds" in given else {}
        account = {**ACCOUNT, **given}
        self._client_id = account["client_id"]
        self.script = Script(self.time, self._client_id, [])
        outside = sombus.Outside(
            now=self.time.now, random=lambda: case.get("random", 0.5), random_bytes=self._random_bytes
        )
        self.bus: Any
        if is_async:
            self.bus = sombus.AsyncBus(
                **account, **limits, system=system, on_attempt=self._note, outside=outside, sleep=self._sleep,
                transport=httpx.MockTransport(self._answer_later),
            )
        else:
            self.bus = sombus.Bus(
                **account, **limits, system=system, on_attempt=self._note, outside=outside, sleep=self.time.sleep,
                transport=httpx.MockTransport(lambda request: self.script.response(request)),
            )

    async def _sleep(self, seconds: float) -> None:
        self.time.sleep(seconds, until_stop=True)
        await asyncio.sleep(0)

    async def _answer_later(self, request: httpx.Request) -> httpx.Response:
        # A cancellation is felt where a program waits.
        await asyncio.sleep(0)
        try:
            return self.script.response(request)
        finally:
            await asyncio.sleep(0)

    def _random_bytes(self, count: int) -> bytes:
        self._random += count
        return bytes(one % 256 for one in range(self._random - count, self._random))

    def _note(self, attempt: sombus.Attempt) -> None:
        noted = {
            "route": attempt.route,
            "number": attempt.number,
            "message_id": attempt.message_id,
            "status": attempt.status,
            "error": True if attempt.error else None,
            "request_id": attempt.request_id,
            "retry_in_seconds": attempt.retry_in_seconds,
        }
        self.attempts.append({name: value for name, value in noted.items() if value is not None})
        if self._hook_fails:
            raise ValueError("The hook fails.")

    async def run(self, step: dict[str, Any]) -> None:
        self.attempts = []
        self.script = Script(self.time, self._client_id, step.get("flow", []))
        acts: dict[str, Callable[[dict[str, Any]], Awaitable[None]]] = {
            "wait": self._wait,
            "compose": self._compose,
            "consume": self._consume,
            "together": self._together,
            "backlog": self._look,
            "registrations": self._look,
        }
        await acts.get(step["do"], self._judge)(step)
        self.time.no_stop()
        self.script.end()
        if "attempts" in step:
            expect("attempts", self.attempts, step["attempts"])
        if "ends_at" in step:
            self.script.is_at(step["ends_at"], "the end")

    async def _wait(self, step: dict[str, Any]) -> None:
        self.time.sleep(step["seconds"])

    async def _compose(self, step: dict[str, Any]) -> None:
        try:
            message = self.bus.compose(**step["draft"])
        except ValueError:
            expect("error", "wrong_use", step.get("error"))
        else:
            expect("message", message, step.get("message"))

    async def _judge(self, step: dict[str, Any]) -> None:
        call = getattr(self.bus, step["do"])
        message = base64.b64decode(step["base64"]) if "base64" in step else step.get("text", step.get("message"))
        try:
            verdict = await self._called(call, message, step)
        except sombus.NoResponse as error:
            expect("error", "unanswered", step.get("error"))
            expect("attempts", error.attempts, step.get("attempts_made", error.attempts))
        except sombus.UnexpectedResponse:
            expect("error", "unexpected_response", step.get("error"))
        except asyncio.CancelledError:
            expect("error", "aborted", step.get("error"))
        else:
            expect("error", None, step.get("error"))
            expect("verdict", _plain(verdict), step.get("verdict"))

    async def _called(self, call: Any, message: Any, step: dict[str, Any]) -> Any:
        if not self.is_async:
            return call(message, deadline=step.get("deadline_seconds"))
        task = asyncio.ensure_future(call(message, deadline=step.get("deadline_seconds")))
        if "stop_after_seconds" in step:
            self.time.stop_at(step["stop_after_seconds"], task.cancel)
        return await task

    async def _together(self, step: dict[str, Any]) -> None:
        messages = step["messages"]
        deadlines = step.get("deadlines_seconds", [None] * len(messages))
        calls = [self.bus.publish(message, deadline=seconds) for message, seconds in zip(messages, deadlines)]
        verdicts = await asyncio.gather(*calls, return_exceptions=True)
        told = ["unanswered" if isinstance(one, sombus.NoResponse) else _plain(one) for one in verdicts]
        expect("verdicts", told, step["verdicts"])

    async def _look(self, step: dict[str, Any]) -> None:
        try:
            found = await self._given(getattr(self.bus, step["do"])())
        except sombus.UnexpectedResponse:
            expect("error", "unexpected_response", step.get("error"))
        else:
            expect("found", _plain(found), step.get("found"))

    async def _consume(self, step: dict[str, Any]) -> None:
        lost: list[str] = []
        slow: list[int | None] = []
        options = {
            **step["options"],
            "on_lost": lambda message, _settlement: lost.append(message.message_id),
            "on_slow": slow.append,
        }
        consumer = self.bus.consume(**options)
        if "stop_after_seconds" in step:
            self.time.stop_at(step["stop_after_seconds"], consumer.stop)
        ended = await self._end_of(consumer, "stop_after_seconds" in step)
        expect("the end", ended, step["ends"])
        expect("lost", lost, step.get("lost", []))
        if "slow" in step:
            expect("slow", len(slow), step["slow"])

    async def _end_of(self, consumer: Any, is_stopped: bool) -> Any:
        try:
            if self.is_async:
                async with consumer as deliveries:
                    async for delivery in deliveries:
                        if not await self._handle(delivery):
                            return "left"
            else:
                with consumer as deliveries:
                    for delivery in deliveries:
                        if not await self._handle(delivery):
                            return "left"
        except HandlerFailed:
            return "failed"
        except sombus.ConsumerRefused as error:
            return {"refused": error.rule}
        except sombus.NoResponse:
            return "unanswered"
        except sombus.UnexpectedResponse:
            return "unexpected_response"
        return "stopped" if is_stopped else "empty"

    async def _handle(self, delivery: Any) -> bool:
        """Whether to go on."""
        item = self.script.take(f"delivery of {delivery.message_id}")
        expect("delivered", delivery.message_id, item.get("deliver"))
        if "text" in item:
            expect("text", delivery.text, item["text"])
        self.time.sleep(item.get("takes_seconds", 0))
        then = item["then"]
        if then == "fail":
            raise HandlerFailed
        settlement = None
        if then == "ack_before":
            settlement = await self._given(self._before.ack())
        elif then.startswith("ack"):
            settlement = await self._given(delivery.ack())
        elif then == "release":
            settlement = await self._given(delivery.release(item.get("delay_seconds", 0)))
        elif then == "release_before":
            settlement = await self._given(self._before.release())
        self._before = delivery
        if "settlement" in item:
            expect("settlement", _plain(settlement), item["settlement"])
        return not then.endswith("leave")

    async def _given(self, value: Any) -> Any:
        return await value if self.is_async else value


def run_case(case: dict[str, Any], is_async: bool) -> None:
    world = World(case, is_async)

    async def run() -> None:
        for step in case["steps"]:
            await world.run(step)

    with closing(asyncio.new_event_loop()) as loop:
        # Timeouts of asyncio end in virtual time too.
        loop.time = world.time.now
        loop.run_until_complete(run())
