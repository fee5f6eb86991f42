"""Sends requests as the contract allows: the same bytes again, after a pause, where that can help."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from .effects import Outside, Request, Route, Send, Sleep, Steps
from .verdicts import FullResponse, violations_in


@dataclass(frozen=True)
class Attempt:
    """One attempt of a call, as the ``on_attempt`` hook gets it: no secret and no payload."""

    route: Route
    #: From 1.
    number: int
    seconds: float
    message_id: str | None = None
    #: None: no response.
    status: int | None = None
    #: Why there is no response.
    error: Exception | None = None
    request_id: str | None = None
    #: The pause before the next attempt; None when this was the last.
    retry_in_seconds: float | None = None


class NoResponse(Exception):
    """No response came within the deadline. Whether the bus has done what it was asked is unknown: the same call again is safe."""

    def __init__(self, url: str, attempts: int) -> None:
        parts = urlsplit(url)
        noun = "attempt" if attempts == 1 else "attempts"
        how_often = f"{attempts} {noun}" if attempts else "time"
        super().__init__(f"{parts.scheme}://{parts.netloc} gave no response in {how_often}.")
        #: 0 when the call waited for a token that another call asked for.
        self.attempts = attempts


# 502 and 504 come from a proxy on the way.
PASSING = frozenset({429, 502, 503, 504})
_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 20.0


def _leaves_open(outcome: FullResponse | Exception) -> bool:
    """Whether the bus may have done what was asked. The statuses of ``PASSING`` without a violation come from a proxy."""
    if isinstance(outcome, Exception):
        return True
    if outcome.status not in PASSING:
        return False
    violations = violations_in(outcome)
    return not violations or any(one.rule == "bus.publish_failed" for one in violations)


class Attempts:
    def __init__(self, outside: Outside, on_attempt: Callable[[Attempt], None]) -> None:
        self._outside = outside
        self._on_attempt = on_attempt

    def _pause(self, outcome: FullResponse | Exception, number: int) -> float | None:
        """The pause before the next attempt; None when the response is final."""
        # Full jitter: callers who failed together do not return together.
        wait: float = self._outside.random() * min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** (number - 1))
        if isinstance(outcome, Exception):
            return wait
        if outcome.status not in PASSING:
            return None
        if outcome.retry_after_seconds is not None:
            return float(outcome.retry_after_seconds) + wait
        # A daily quota comes back at midnight: no pause helps.
        is_quota = any(one.rule == "quota.exceeded" for one in violations_in(outcome))
        return None if is_quota else wait

    def send(self, request: Request, deadline: float) -> Steps[FullResponse]:
        """Sends until the response is final, or the deadline (epoch seconds) has come: then the last response is the result."""
        number, may_be_done = 0, False
        while True:
            number += 1
            began = self._outside.now()
            outcome: FullResponse | Exception = yield Send(request, max(0.001, min(request.timeout, deadline - began)))
            may_be_done = may_be_done or _leaves_open(outcome)
            pause = self._pause(outcome, number)
            if pause is not None and self._outside.now() + pause >= deadline:
                pause = None
            response = None if isinstance(outcome, Exception) else outcome
            attempt = Attempt(
                route=request.route,
                number=number,
                seconds=self._outside.now() - began,
                message_id=request.message_id,
                status=response.status if response else None,
                error=outcome if isinstance(outcome, Exception) else None,
                request_id=response.request_id if response else None,
                retry_in_seconds=pause,
            )
            # A hook that fails changes nothing for the call.
            with suppress(Exception):
                self._on_attempt(attempt)
            if pause is not None:
                yield Sleep(pause)
            elif isinstance(outcome, Exception):
                raise NoResponse(request.url, number) from outcome
            else:
                return replace(outcome, asked_at=began, may_be_done=may_be_done)
