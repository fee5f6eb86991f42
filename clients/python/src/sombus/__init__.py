"""Client of som-bus: publishes and consumes SOM messages."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TypedDict

from .aio import AsyncBus, AsyncConsumer, AsyncDelivery
from .attempts import Attempt, NoResponse
from .bus import Bus, Consumer, Delivery
from .core import Backlog, Pulled, PulledMessage, Registrations, Settled, SkillRegistration
from .deliveries import ConsumerRefused, Settlement
from .effects import Outside
from .envelope import uuid7
from .verdicts import (
    Accepted,
    DryRunVerdict,
    Duplicate,
    Refused,
    TokenRefused,
    Uncertain,
    UnexpectedResponse,
    Verdict,
    Violation,
)

__all__ = [
    "Accepted",
    "AsyncBus",
    "AsyncConsumer",
    "AsyncDelivery",
    "Attempt",
    "Backlog",
    "Bus",
    "Connection",
    "Consumer",
    "ConsumerRefused",
    "Delivery",
    "DryRunVerdict",
    "Duplicate",
    "Outside",
    "Pulled",
    "PulledMessage",
    "Refused",
    "Registrations",
    "Settled",
    "Settlement",
    "SkillRegistration",
    "TokenRefused",
    "NoResponse",
    "Uncertain",
    "UnexpectedResponse",
    "Verdict",
    "Violation",
    "from_environment",
    "uuid7",
]


class Connection(TypedDict):
    """What ``Bus`` and ``AsyncBus`` need to connect."""

    base_url: str
    workspace: str
    client_id: str
    client_secret: str


def from_environment(prefix: str = "SOMBUS_CLIENT", env: Mapping[str, str] = os.environ) -> Connection:
    """A connection of environment variables, as ``sombus env``, ``sombus exec`` and ``sombus connections apply`` name them.

    :raises KeyError: when one of them is missing
    """
    return {
        "base_url": env["SOMBUS_BASE_URL"],
        "workspace": env["SOMBUS_WORKSPACE"],
        "client_id": env[f"{prefix}_ID"],
        "client_secret": env[f"{prefix}_SECRET"],
    }
