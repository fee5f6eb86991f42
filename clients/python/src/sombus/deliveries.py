"""The messages of a queue, one at a time, in order per correlation_id."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Optional, TypeVar, Union

from .attempts import PASSING, NoResponse
from .core import Core, Pulled, PulledMessage, Settled
from .effects import Outside, Send, Sleep, Steps
from .pace import DEFAULT_REQUESTS_PER_MINUTE, Pace, after_limit, after_pull, after_request, pause_before
from .verdicts import FullResponse, Refused, TokenRefused, UnexpectedResponse


@dataclass(frozen=True)
class Settlement:
    """The result for one message.

    ``lost``: it will be delivered again, and the rule says why. ``uncertain``: the bus did not answer, so it may be delivered again.
    """

    outcome: Literal["settled", "lost", "uncertain"]
    rule: str | None = None
    message: str | None = None


@dataclass(frozen=True)
class ConsumeOptions:
    #: Messages in one pull, 1 to 10.
    max: int = 10
    #: Seconds that a pull waits for a first message, 0 to 20; never more than half of ``visibility``.
    wait: int = 20
    #: Seconds from sending a pull in which all its messages must be handled, 10 to 43,200.
    visibility: int = 60
    #: Ends when a pull brings nothing, or when a call finds no bus within its deadline.
    until_empty: bool = False
    #: Called for each message that was handled but not acknowledged: it will, or may, be delivered again. The loop continues.
    on_lost: Optional[Callable[[PulledMessage, Settlement], None]] = None
    #: Pulls and acknowledgements a minute, of the 600 that all systems behind one address share. A message comes at once while there is
    #: budget; then several come together. Each message costs a fiftieth of a request. A consumer whose messages are old goes up to
    #: four times as fast. ``math.inf`` for a bus without limits.
    requests_per_minute: float = DEFAULT_REQUESTS_PER_MINUTE
    #: Called with the status (None: no response) when the bus begins to refuse requests for a while, or cannot be reached; not again
    #: before a request has succeeded. The consumer goes on, more slowly.
    on_slow: Optional[Callable[[Optional[int]], None]] = None


class ConsumerRefused(Exception):
    """The bus refused a call of a consumer: it cannot go on."""

    def __init__(self, refusal: Refused | TokenRefused) -> None:
        if isinstance(refusal, Refused):
            rule, words = refusal.violations[0].rule, refusal.violations[0].message
        else:
            rule, words = refusal.error, refusal.description
        super().__init__(f"{rule}: {words}")
        self.refusal = refusal
        self.rule = rule


# Seconds after which what was handled is acknowledged with the next request for a message; at most a tenth of the visibility.
_MAX_UNACKNOWLEDGED = 5.0
# The bus responds at once when three polls of the connection wait already: idle pulls begin at least this far apart.
_IDLE_PULL_SECONDS = 1.0
# An ack takes up to 100 handles; what a pull brings must find room.
_MAX_HANDLES = 90
# The part of the visibility that a pull may take for itself before an ack is due: 2 s of a minute.
_AHEAD_SHARE = 1 / 30

Accepted = TypeVar("Accepted", Pulled, Settled)
Result = TypeVar("Result")


def _accepted(response: Union[Accepted, Refused, TokenRefused]) -> Accepted:
    if isinstance(response, (Refused, TokenRefused)):
        raise ConsumerRefused(response)
    return response


def _is_passing(error: Exception) -> bool:
    """Whether the bus may serve the same call later: its connection is not what was refused."""
    if isinstance(error, ConsumerRefused):
        return error.refusal.status in PASSING
    if isinstance(error, UnexpectedResponse):
        return error.status in PASSING
    return isinstance(error, NoResponse)


def _retry_seconds(error: Exception) -> float:
    """What the bus asked to wait; otherwise as after an idle pull."""
    refusal = error.refusal if isinstance(error, ConsumerRefused) else None
    if isinstance(refusal, Refused) and refusal.retry_after_seconds is not None:
        return float(refusal.retry_after_seconds)
    return _IDLE_PULL_SECONDS


def _lag(pulled: Pulled) -> float:
    """How old the newest message of a pull is, in seconds."""
    # Python 3.9 does not read the Z of RFC 3339.
    times = [datetime.fromisoformat(one.enqueued_at.replace("Z", "+00:00")) for one in pulled.messages]
    return pulled.asked_at - max(times).timestamp()


def _settlement(response: Settled, message: PulledMessage) -> Settlement:
    for failure in response.failed:
        if failure.receipt_handle == message.receipt_handle:
            return Settlement("lost", failure.rule, failure.message)
    return Settlement("settled")


class Deliveries:
    """What a consumer has in its hands, from one pull to the next."""

    def __init__(self, core: Core, outside: Outside, options: ConsumeOptions, seconds: float) -> None:
        self._core = core
        self._outside = outside
        self._options = options
        self._seconds = seconds
        self._waiting: list[PulledMessage] = []
        self._current: PulledMessage | None = None
        self._handled: list[PulledMessage] = []
        self._settlements: dict[str, Settlement] = {}
        #: The receipt handles of this pull, but for those that are acknowledged.
        self._open: set[str] = set()
        #: The correlations whose next message is an earlier one that comes again.
        self._stuck: set[str] = set()
        self._half_time = 0.0
        self._quarter_time = 0.0
        #: Epoch seconds by which what was handled of full pulls before this one must be acknowledged.
        self._carried_until = math.inf
        self._is_full = False
        #: More handled messages than these are acknowledged before the next pull.
        self._max_unacknowledged = _MAX_HANDLES
        self._pace = Pace(options.requests_per_minute, outside.now())
        self._is_slow_told = False
        #: Epoch seconds: from then on, asking for the next message acknowledges all that were handled.
        self._acknowledge_at = 0.0
        self._is_last = False
        #: Epoch seconds before which no pull begins.
        self._idle_until = 0.0
        #: Epoch seconds: from then on, the bus may deliver the messages to another program.
        self.expires_at = 0.0
        self.stopped = False

    def next(self) -> Steps[PulledMessage | None]:
        """The next message to handle; None at the end. The one before counts as handled."""
        if self._current:
            self._handled.append(self._current)
            self._current = None
        while not self.stopped:
            if self._outside.now() >= min(self._half_time, self._acknowledge_at, self._carried_until):
                yield from self._flush()
            if self._outside.now() >= self.expires_at:
                # Another program may have these.
                self._waiting.clear()
            while self._waiting:
                message = self._waiting.pop(0)
                if message.correlation_id not in self._stuck:
                    if not self._has_handled_of_this_pull():
                        self._acknowledge_at = self._outside.now() + min(_MAX_UNACKNOWLEDGED, self._options.visibility / 10)
                    self._current = message
                    return message
            if self._is_last:
                return None
            yield from self._prepare()
            if not self.stopped:
                yield from self._pull()
        return None

    def _has_handled_of_this_pull(self) -> bool:
        return any(message.receipt_handle in self._open for message in self._handled)

    def _sleep_until(self, time: float) -> Steps[None]:
        pause = time - self._outside.now()
        if pause > 0:
            yield Sleep(pause)

    def _prepare(self) -> Steps[None]:
        """Waits for the budget, and acknowledges.

        An unacknowledged message holds back the later ones of its correlation_id: its ack goes before the pull. After a full pull
        others wait, and several pulls are acknowledged together.
        """
        waiting = len(self._handled)
        is_ack_first = waiting > 0 and (not self._is_full or waiting > self._max_unacknowledged)
        now = self._outside.now()
        pause = pause_before(self._pace, 2 if is_ack_first else 1, now)
        pull_at = max(now + pause, self._idle_until)
        acknowledge_by = self._acknowledge_by()
        is_due = pull_at + self._options.visibility * _AHEAD_SHARE >= acknowledge_by
        yield from self._sleep_until(min(pull_at, acknowledge_by))
        if self.stopped:
            return
        if is_ack_first or is_due:
            yield from self._flush()
        yield from self._sleep_until(pull_at)

    def _acknowledge_by(self) -> float:
        """Epoch seconds by which what was handled must be acknowledged."""
        return min(self._carried_until, self._quarter_time) if self._handled else math.inf

    def _pull(self) -> Steps[None]:
        options, began = self._options, self._outside.now()
        is_ahead = len(self._handled) > 0
        # A wait is part of the time in which a message must be handled: half of that time remains in any case. What is not
        # acknowledged may hold back all that waits.
        wait = 0 if is_ahead else min(options.wait, options.visibility // 2)
        # Nor does its ack wait until a pull gets through.
        seconds = min(self._seconds, self._acknowledge_by() - began)
        call = self._core.pull(options.max, wait, options.visibility, seconds)
        try:
            pulled = _accepted((yield from self._counted(call)))
        except (ConsumerRefused, NoResponse, UnexpectedResponse) as error:
            if (options.until_empty and not is_ahead) or not _is_passing(error):
                raise
            self._idle_until = self._outside.now() + _retry_seconds(error)
            self._is_full = False
            return
        self._learn(pulled)
        if is_ahead:
            self._carried_until = min(self._carried_until, self._quarter_time)
        messages, asked = pulled.messages, pulled.asked_at
        self.expires_at, self._half_time = asked + options.visibility, asked + options.visibility / 2
        self._quarter_time = asked + options.visibility / 4
        self._waiting, self._stuck, self._settlements = list(messages), set(), {}
        self._open = {message.receipt_handle for message in messages}
        # What is not acknowledged may hold back the rest of the queue.
        is_idle = not messages and not self._handled
        self._is_last = options.until_empty and is_idle
        self._acknowledge_at = math.inf
        self._idle_until = began + _IDLE_PULL_SECONDS if is_idle else 0.0

    def _learn(self, pulled: Pulled) -> None:
        """Notes what a pull tells of the queue."""
        maximum, count, unacknowledged = self._options.max, len(pulled.messages), len(self._handled)
        is_ahead = unacknowledged > 0
        if not is_ahead:
            self._max_unacknowledged = min(_MAX_HANDLES, self._max_unacknowledged + 1)
        elif count == 0:
            # All that waits may be held back: next time, so many are acknowledged first.
            self._max_unacknowledged = unacknowledged - maximum
        is_drained = not is_ahead and count < maximum
        if is_drained or count > 0:
            lag = 0.0 if is_drained else _lag(pulled)
            self._pace = after_pull(self._pace, count, lag, self._outside.now())
        # A consumer that takes one message at a time finds each pull full.
        self._is_full = maximum > 1 and count == maximum

    def _counted(self, steps: Steps[Result]) -> Steps[Result]:
        """Counts the requests of a call, and notes what the bus says of them."""
        outcome = None
        try:
            effect = next(steps)
            while True:
                try:
                    outcome = yield effect
                except BaseException as error:
                    effect = steps.throw(error)
                    continue
                if isinstance(effect, Send):
                    self._note(effect, outcome)
                effect = steps.send(outcome)
        except StopIteration as end:
            result: Result = end.value
            return result

    def _note(self, sent: Send, outcome: FullResponse | Exception) -> None:
        status = outcome.status if isinstance(outcome, FullResponse) else None
        now = self._outside.now()
        if sent.request.route != "token":
            self._pace = after_request(self._pace, now)
        if status == 429:
            self._pace = after_limit(self._pace, now)
        is_slow = status is None or status in PASSING
        if is_slow and not self._is_slow_told and self._options.on_slow:
            # A hook that fails changes nothing for the call.
            with suppress(Exception):
                self._options.on_slow(status)
        self._is_slow_told = is_slow

    def _settle(
        self, route: Literal["ack", "nack"], messages: Sequence[PulledMessage], delay_seconds: int = 0
    ) -> Steps[list[Settlement]]:
        handles = [message.receipt_handle for message in messages]
        try:
            call = self._core.settle(route, handles, delay_seconds, self._seconds)
            response = _accepted((yield from self._counted(call)))
        except (ConsumerRefused, NoResponse, UnexpectedResponse) as error:
            if not _is_passing(error):
                raise
            return [Settlement("uncertain", message=str(error)) for _ in messages]
        return [_settlement(response, message) for message in messages]

    def _flush(self) -> Steps[bool]:
        """Acknowledges what was handled. Returns whether the bus answered."""
        handled, self._handled = self._handled, []
        self._carried_until = math.inf
        if not handled:
            return True
        settlements = yield from self._settle("ack", handled)
        for message, settlement in zip(handled, settlements):
            self._settlements[message.receipt_handle] = settlement
            if settlement.outcome == "settled":
                self._open.discard(message.receipt_handle)
                continue
            if message.receipt_handle in self._open:
                self._stuck.add(message.correlation_id)
            if self._options.on_lost:
                self._options.on_lost(message, settlement)
        return all(settlement.outcome != "uncertain" for settlement in settlements)

    def _is_unsettled(self, message: PulledMessage) -> bool:
        known = self._settlements.get(message.receipt_handle)
        return known is None or known.outcome != "settled"

    def ack(self, message: PulledMessage) -> Steps[Settlement]:
        if self._current is message:
            self._current = None
        if self._is_unsettled(message) and message not in self._handled:
            self._handled.append(message)
        yield from self._flush()
        return self._settlements[message.receipt_handle]

    def release(self, message: PulledMessage, delay_seconds: int) -> Steps[Settlement]:
        if self._current is message:
            self._current = None
        yield from self._flush()
        # A message of an earlier pull, or one that was acknowledged, holds nothing of this pull back.
        if message.receipt_handle in self._open:
            self._stuck.add(message.correlation_id)
        (settlement,) = yield from self._settle("nack", [message], delay_seconds)
        return settlement

    def leave(self) -> Steps[None]:
        """Acknowledges what was handled, and returns the rest, so that it comes again at once."""
        rest = [*([self._current] if self._current else []), *self._waiting]
        handles = [one.receipt_handle for one in rest if one.correlation_id not in self._stuck]
        self._current, self._waiting = None, []
        try:
            is_answered = yield from self._flush()
            if is_answered and handles and self._outside.now() < self.expires_at:
                yield from self._counted(self._core.settle("nack", handles, 0, self._seconds))
        except (ConsumerRefused, NoResponse, UnexpectedResponse):
            # Why the consumer leaves says more; what is not settled comes again.
            pass
