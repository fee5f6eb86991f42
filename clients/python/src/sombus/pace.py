"""When a consumer may send its next requests: a pure function of time and of what it did before.

The TypeScript client has the same, and both run ``clients/cases/pace.json``. All systems behind one address share 600 requests a minute,
publishes included. So messages cost budget, too: each was published, perhaps behind the same address.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

DEFAULT_REQUESTS_PER_MINUTE = 40.0

_MINUTE = 60.0
# What a message costs of the budget: at five a second, six requests a minute.
_MESSAGE_COST = 1 / 50
# After silence, a pull of ten messages, and an ack and a pull.
_MAX_BUDGET = 3 + 10 * _MESSAGE_COST
# A consumer lags if the messages that it gets are older, and more wait.
_LAG_SECONDS = 30.0
_MAX_HASTE = 4.0
# After each 429: the part of the speed that is left, its minimum, and for how long.
_SHARE_AFTER_REFUSAL = 0.8
_MIN_SHARE = 0.25
_SLOW_SECONDS = 300.0


@dataclass(frozen=True)
class Pace:
    requests_per_minute: float
    #: Epoch seconds at which ``budget`` was the budget.
    at: float
    #: Requests that may go at once; below 0 after some that could not wait.
    budget: float = _MAX_BUDGET
    #: How many times as fast it goes because it lags, from 1.
    haste: float = 1.0
    #: The share of its speed that it uses after a 429, until ``slow_until``, up to 1.
    share: float = 1.0
    #: Epoch seconds.
    slow_until: float = 0.0


def _refilled(pace: Pace, now: float) -> Pace:
    if pace.requests_per_minute == math.inf:
        return replace(pace, at=now)
    # A clock may be set back.
    passed = max(0.0, now - pace.at)
    slow = min(passed, max(0.0, pace.slow_until - pace.at))
    earned = (passed - slow + slow * pace.share) * pace.requests_per_minute * pace.haste / _MINUTE
    budget = min(_MAX_BUDGET, pace.budget + earned)
    return replace(pace, budget=budget, at=now, share=pace.share if now < pace.slow_until else 1.0)


def _charged(pace: Pace, cost: float) -> Pace:
    """It owes a minute's requests at most: a program may acknowledge as often as it likes."""
    return replace(pace, budget=max(-pace.requests_per_minute, pace.budget - cost))


def after_request(pace: Pace, now: float) -> Pace:
    return _charged(_refilled(pace, now), 1)


def after_pull(pace: Pace, messages: int, lag: float, now: float) -> Pace:
    """
    :param lag: how old the newest of the messages is, in seconds; 0 if no more of them wait
    """
    haste = min(_MAX_HASTE, max(1.0, lag / _LAG_SECONDS))
    return _charged(replace(_refilled(pace, now), haste=haste), messages * _MESSAGE_COST)


def after_limit(pace: Pace, now: float) -> Pace:
    """After a 429: several minutes at a part of the speed, which is less after each further one."""
    refilled = _refilled(pace, now)
    share = max(_MIN_SHARE, refilled.share * _SHARE_AFTER_REFUSAL)
    return replace(refilled, budget=min(0.0, refilled.budget), share=share, slow_until=now + _SLOW_SECONDS)


def pause_before(pace: Pace, requests: int, now: float) -> float:
    """Seconds until so many requests may go."""
    refilled = _refilled(pace, now)
    missing = max(0.0, requests - refilled.budget)
    at_full_speed = missing * _MINUTE / (refilled.requests_per_minute * refilled.haste)
    slow = max(0.0, refilled.slow_until - now)
    return min(at_full_speed / refilled.share, at_full_speed + slow * (1 - refilled.share))
