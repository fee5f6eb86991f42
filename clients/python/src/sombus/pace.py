"""When a consumer may send its next requests: a pure function of time and of what it sent before.

The TypeScript client has the same, and both run ``clients/cases/pace.json``. All systems behind one address share 600 requests a minute.
Eight consumers with this budget and a producer of five messages a second stay below that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

DEFAULT_REQUESTS_PER_MINUTE = 36.0

_MINUTE = 60.0
_MAX_BUDGET = 3.0
_MAX_DEBT = 6.0


@dataclass(frozen=True)
class Pace:
    requests_per_minute: float
    #: Epoch seconds at which ``budget`` was the budget.
    at: float
    #: Requests that may go at once. A consumer that lags goes on below 0, and saves later.
    budget: float = _MAX_BUDGET
    #: Epoch seconds: until then, after a 429, half of the budget must do.
    slow_until: float = 0.0


def _refilled(pace: Pace, now: float) -> Pace:
    if pace.requests_per_minute == math.inf:
        return replace(pace, at=now)
    # A clock may be set back.
    passed = max(0.0, now - pace.at)
    slow = min(passed, max(0.0, pace.slow_until - pace.at))
    earned = (passed - slow / 2) * pace.requests_per_minute / _MINUTE
    return replace(pace, budget=min(_MAX_BUDGET, pace.budget + earned), at=now)


def after_request(pace: Pace, now: float) -> Pace:
    refilled = _refilled(pace, now)
    return replace(refilled, budget=max(-_MAX_DEBT, refilled.budget - 1))


def after_limit(pace: Pace, now: float) -> Pace:
    """After a 429: a minute at half the speed, whatever waits."""
    refilled = _refilled(pace, now)
    return replace(refilled, budget=min(0.0, refilled.budget), slow_until=now + _MINUTE)


def pause_before(pace: Pace, requests: int, is_lagging: bool, now: float) -> float:
    """Seconds until so many requests may go.

    :param is_lagging: the last pull was full: more messages wait, and none of them for the budget
    """
    refilled = _refilled(pace, now)
    is_slow = now < pace.slow_until
    if is_lagging and not is_slow:
        return 0.0
    missing = max(0.0, requests - refilled.budget)
    speed = pace.requests_per_minute / 2 if is_slow else pace.requests_per_minute
    return missing * _MINUTE / speed
