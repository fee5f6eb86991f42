"""What the client does outside itself. Its logic yields these; the sync and the async client carry them out."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, Union

Route = Literal["token", "publish", "validate", "pull", "ack", "nack", "backlog", "skills"]


@dataclass(frozen=True)
class Request:
    """A request, the same for every attempt."""

    route: Route
    method: str
    url: str
    headers: Mapping[str, str]
    content: bytes | None
    #: How long one attempt may take, in seconds.
    timeout: float
    message_id: str | None = None


@dataclass(frozen=True)
class Send:
    """Sends a request once. Gives an ``FullResponse``, or the ``httpx.RequestError`` if there is none within the timeout."""

    request: Request
    timeout: float


@dataclass(frozen=True)
class Sleep:
    seconds: float


@dataclass(frozen=True)
class Lock:
    """Lets one caller renew the token while the others wait. Gives whether this one may, within these seconds."""

    seconds: float


@dataclass(frozen=True)
class Unlock:
    pass


Effect = Union[Send, Sleep, Lock, Unlock]

Result = TypeVar("Result")

#: Logic that asks for effects and ends with a result.
Steps = Generator[Effect, Any, Result]


@dataclass(frozen=True)
class Outside:
    """What the client takes from its surroundings. Tests replace it."""

    #: Epoch seconds.
    now: Callable[[], float] = time.time
    #: From 0 up to, not including, 1.
    random: Callable[[], float] = random.random
    random_bytes: Callable[[int], bytes] = field(default=os.urandom)
