"""The messages of a queue, one at a time, in order per correlation_id."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Optional, TypeVar, Union

from .attempts import NoResponse
from .core import Core, Pulled, PulledMessage, Settled
from .effects import Outside, Sleep, Steps
from .verdicts import Refused, TokenRefused, UnexpectedResponse


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
    #: Ends when a pull brings nothing.
    until_empty: bool = False
    #: Called for each message that was handled but not acknowledged: it will, or may, be delivered again. The loop continues.
    on_lost: Optional[Callable[[PulledMessage, Settlement], None]] = None


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

Accepted = TypeVar("Accepted", Pulled, Settled)


def _accepted(response: Union[Accepted, Refused, TokenRefused]) -> Accepted:
    if isinstance(response, (Refused, TokenRefused)):
        raise ConsumerRefused(response)
    return response


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
            if self._outside.now() >= min(self._half_time, self._acknowledge_at):
                yield from self._flush()
            if self._outside.now() >= self.expires_at:
                # Another program may have these.
                self._waiting.clear()
            while self._waiting:
                message = self._waiting.pop(0)
                if message.correlation_id not in self._stuck:
                    if not self._handled:
                        self._acknowledge_at = self._outside.now() + min(_MAX_UNACKNOWLEDGED, self._options.visibility / 10)
                    self._current = message
                    return message
            yield from self._flush()
            if self._is_last:
                return None
            yield from self._pause()
            if not self.stopped:
                yield from self._pull()
        return None

    def _pause(self) -> Steps[None]:
        pause = self._idle_until - self._outside.now()
        if pause > 0:
            yield Sleep(pause)

    def _pull(self) -> Steps[None]:
        options, began = self._options, self._outside.now()
        # A wait is part of the time in which a message must be handled: half of that time remains in any case.
        wait = min(options.wait, options.visibility // 2)
        pulled = _accepted((yield from self._core.pull(options.max, wait, options.visibility, self._seconds)))
        messages, asked = pulled.messages, pulled.asked_at
        self.expires_at, self._half_time = asked + options.visibility, asked + options.visibility / 2
        self._waiting, self._stuck, self._settlements = list(messages), set(), {}
        self._open = {message.receipt_handle for message in messages}
        self._is_last = options.until_empty and not messages
        self._idle_until = 0.0 if messages else began + _IDLE_PULL_SECONDS

    def _settle(
        self, route: Literal["ack", "nack"], messages: Sequence[PulledMessage], delay_seconds: int = 0
    ) -> Steps[list[Settlement]]:
        handles = [message.receipt_handle for message in messages]
        try:
            response = _accepted((yield from self._core.settle(route, handles, delay_seconds, self._seconds)))
        except NoResponse as error:
            return [Settlement("uncertain", message=str(error)) for _ in messages]
        return [_settlement(response, message) for message in messages]

    def _flush(self) -> Steps[bool]:
        """Acknowledges what was handled. Returns whether the bus answered."""
        handled, self._handled = self._handled, []
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
                yield from self._core.settle("nack", handles, 0, self._seconds)
        except (ConsumerRefused, NoResponse, UnexpectedResponse):
            # Why the consumer leaves says more; what is not settled comes again.
            pass
