"""The async client."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar, cast

import httpx

from .attempts import Attempt
from .bus import response_of
from .core import Account, Backlog, Core, Outgoing, Pulled, PulledMessage, Registrations, Settled, direct_hosts
from .deliveries import ConsumeOptions, Deliveries, Settlement
from .effects import Effect, Lock, Outside, Send, Sleep, Steps, Unlock
from .envelope import Composer
from .pace import DEFAULT_REQUESTS_PER_MINUTE
from .verdicts import FullResponse, DryRunVerdict, Refused, TokenRefused, Verdict

Result = TypeVar("Result")


class Runner(Protocol):
    async def __call__(self, steps: Steps[Result], /) -> Result: ...



class AsyncDelivery:
    """A message in the hands of its consumer."""

    def __init__(self, message: PulledMessage, deliveries: Deliveries, run: Runner) -> None:
        self.pulled = message
        self.message = message.message
        self.text = message.text
        self.message_id = message.message_id
        self.message_type = message.message_type
        self.correlation_id = message.correlation_id
        self.receive_count = message.receive_count
        #: Epoch seconds: from then on, the bus may deliver it to another program. It counts from when the pull was sent, so a wait
        #: for the message is part of it. Nothing extends it.
        self.expires_at = deliveries.expires_at
        self._deliveries = deliveries
        self._run = run

    async def ack(self) -> Settlement:
        """Acknowledges it now, with those handled before. Without this, it is acknowledged later, together with others."""
        return await self._run(self._deliveries.ack(self.pulled))

    async def release(self, delay_seconds: int = 0) -> Settlement:
        """Returns it, to come again after the delay: before any later message of its correlation_id."""
        return await self._run(self._deliveries.release(self.pulled, delay_seconds))


class AsyncConsumer:
    """The messages of a queue. Leave it by its ``async with``: that releases what was not handled."""

    def __init__(self, deliveries: Deliveries, run: Runner) -> None:
        self._deliveries = deliveries
        self._run = run
        self._polling: asyncio.Task[PulledMessage | None] | None = None

    def stop(self) -> None:
        """Ends the loop after the message in hand; a pull under way ends at once."""
        self._deliveries.stopped = True
        if self._polling:
            self._polling.cancel()

    async def __aenter__(self) -> AsyncConsumer:
        return self

    async def __aexit__(self, *_fault: object) -> None:
        await self._run(self._deliveries.leave())

    def __aiter__(self) -> AsyncIterator[AsyncDelivery]:
        return self

    async def __anext__(self) -> AsyncDelivery:
        self._polling = asyncio.ensure_future(self._run(self._deliveries.next()))
        try:
            message = await self._polling
        except asyncio.CancelledError:
            self._polling.cancel()
            if self._deliveries.stopped:
                raise StopAsyncIteration from None
            raise
        finally:
            self._polling = None
        if message is None:
            raise StopAsyncIteration
        return AsyncDelivery(message, self._deliveries, self._run)


class AsyncBus:
    """One connection to a bus. A refusal is a value; what is raised is ``NoResponse`` or ``UnexpectedResponse``.

    :param deadline: how long a call keeps trying, in seconds; the ``wait`` of a pull comes on top
    :param publishes_per_minute: publishes and dry runs, of the 600 requests that all systems behind one address share: more wait in the
        client. A 429 makes it fewer for a while. Default: as they come
    :param on_attempt: called for every attempt of every call; what it raises is ignored
    :raises ValueError: when the URL cannot be a bus's
    """

    def __init__(
        self,
        *,
        base_url: str,
        workspace: str,
        client_id: str,
        client_secret: str,
        system: Mapping[str, str] | None = None,
        deadline: float = 60.0,
        publishes_per_minute: float = math.inf,
        on_attempt: Callable[[Attempt], None] = lambda attempt: None,
        transport: httpx.AsyncBaseTransport | None = None,
        outside: Outside = Outside(),
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._outside = outside
        self._deadline = deadline
        self._core = Core(Account(base_url, workspace, client_id, client_secret), outside, on_attempt, publishes_per_minute)
        self._http = httpx.AsyncClient(transport=transport, mounts=direct_hosts(base_url))
        self._lock = asyncio.Lock()
        self._sleep = sleep
        self.compose = Composer(system, outside).compose

    async def aclose(self) -> None:
        """Closes the connections to the bus."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncBus:
        return self

    async def __aexit__(self, *_fault: object) -> None:
        await self.aclose()

    async def publish(self, message: Outgoing, *, deadline: float | None = None) -> Verdict:
        """Returns when the message is in every queue or refused, or at the deadline. Publishing again is safe: a message is accepted once."""
        return await self._run(self._core.publish(message, self._deadline if deadline is None else deadline))

    async def validate(self, message: Outgoing, *, deadline: float | None = None) -> DryRunVerdict:
        """The verdict that ``publish`` would get; nothing is sent."""
        return await self._run(self._core.validate(message, self._deadline if deadline is None else deadline))

    async def pull(self, *, max: int = 10, wait: int = 0, visibility: int = 60) -> Pulled | Refused | TokenRefused:
        """One pull by hand."""
        return await self._run(self._core.pull(max, wait, visibility, self._deadline))

    async def ack(self, receipt_handles: Sequence[str]) -> Settled | Refused | TokenRefused:
        return await self._run(self._core.settle("ack", receipt_handles, 0, self._deadline))

    async def nack(self, receipt_handles: Sequence[str], *, delay_seconds: int = 0) -> Settled | Refused | TokenRefused:
        return await self._run(self._core.settle("nack", receipt_handles, delay_seconds, self._deadline))

    async def backlog(self) -> Backlog | Refused | TokenRefused:
        """What waits for this consumer."""
        return await self._run(self._core.backlog(self._deadline))

    async def registrations(self) -> Registrations | Refused | TokenRefused:
        """The skill instances that this consumer executes: read them anew every few minutes."""
        return await self._run(self._core.registrations(self._deadline))

    def consume(
        self,
        *,
        max: int = 10,
        wait: int = 20,
        visibility: int = 60,
        until_empty: bool = False,
        on_lost: Callable[[PulledMessage, Settlement], None] | None = None,
        requests_per_minute: float = DEFAULT_REQUESTS_PER_MINUTE,
        on_slow: Callable[[int | None], None] | None = None,
    ) -> AsyncConsumer:
        """The messages of this consumer's queue, in order per correlation_id: use it in ``async with`` and ``async for``.

        Asking for the next message means that the one before was handled. What was handled is acknowledged together: when the pull
        is used up, when the consumer is left, and with the first request for a message that comes five seconds, or a tenth of
        ``visibility`` if that is less, after the oldest of them was handed out. After a crash, up to ``max`` handled messages come
        again, or 100 if it lagged. A bus that refuses requests for a while, or cannot be reached, does not end the loop. Leaving releases what was not handled.
        """
        options = ConsumeOptions(max, wait, visibility, until_empty, on_lost, requests_per_minute, on_slow)
        return AsyncConsumer(Deliveries(self._core, self._outside, options, self._deadline), self._run)

    async def _run(self, steps: Steps[Result]) -> Result:
        """Carries out what the logic asks for. An error goes into it, so that it can put things in order."""
        try:
            effect = next(steps)
            while True:
                try:
                    value = await self._perform(effect)
                except BaseException as error:
                    effect = steps.throw(error)
                else:
                    effect = steps.send(value)
        except StopIteration as end:
            return cast(Result, end.value)

    async def _perform(self, effect: Effect) -> Any:
        if isinstance(effect, Send):
            return await self._send(effect)
        if isinstance(effect, Sleep):
            await self._sleep(effect.seconds)
        elif isinstance(effect, Lock):
            return await self._acquire(effect.seconds)
        else:
            self._lock.release()
        return None

    async def _acquire(self, seconds: float) -> bool:
        if not self._lock.locked():
            return await self._lock.acquire()
        try:
            return await asyncio.wait_for(self._lock.acquire(), seconds)
        except asyncio.TimeoutError:
            return False

    async def _send(self, effect: Send) -> FullResponse | httpx.RequestError:
        request = effect.request
        try:
            call = self._http.request(
                request.method,
                request.url,
                headers=dict(request.headers),
                content=request.content,
                timeout=effect.timeout,
            )
            # The timeout of httpx bounds each read, not the whole response.
            response = await asyncio.wait_for(call, effect.timeout)
        except httpx.RequestError as error:
            return error
        except asyncio.TimeoutError:
            return httpx.ReadTimeout("The response takes too long.")
        return response_of(response, response.content)
