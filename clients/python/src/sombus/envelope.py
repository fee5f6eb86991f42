"""Makes whole messages of drafts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from .effects import Outside

Message = Mapping[str, Any]

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)


def uuid7(milliseconds: int, random: bytes) -> str:
    """UUID version 7: milliseconds, then 74 random bits, so that ids sort by time (RFC 9562 section 5.7)."""
    tail = bytearray(random[:10])
    tail[0] = 0x70 | (tail[0] & 0x0F)
    tail[2] = 0x80 | (tail[2] & 0x3F)
    time, rest = f"{milliseconds:012x}", tail.hex()
    return f"{time[:8]}-{time[8:]}-{rest[:4]}-{rest[4:8]}-{rest[8:]}"


def _uuid(text: str, name: str) -> str:
    if _UUID.fullmatch(text):
        return text
    raise ValueError(f'{name} must be a UUID, not "{text}".')


_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII)


def _timestamp(time: str | datetime) -> str:
    text = time if isinstance(time, str) else time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if _DATE_TIME.fullmatch(text):
        return text
    raise ValueError(f'timestamp must be an RFC 3339 date-time, not "{text}".')


class Composer:
    def __init__(self, system: Mapping[str, str] | None, outside: Outside) -> None:
        self._system = system
        self._outside = outside

    def compose(
        self,
        message_type: str,
        payload: Message,
        *,
        message_id: str | None = None,
        timestamp: str | datetime | None = None,
        cause: Message | None = None,
        correlation_id: str | None = None,
        topic: str | None = None,
        originating_system: Mapping[str, str] | None = None,
        **members: Any,
    ) -> dict[str, Any]:
        """A whole message.

        With ``cause``, it continues the chain of that message. Without a ``correlation_id``, it has the cause's, or a new one;
        without a ``message_id``, a new one. A message that is made again after a crash needs the same ``message_id`` and
        ``timestamp``: make the id with :func:`uuid.uuid5`, of the cause's and a name that holds your own ``system_id``: others
        react to the same cause.

        :raises ValueError: when an id is not a UUID, the timestamp not an RFC 3339 date-time, or no system is known
        """
        system = originating_system or self._system
        if system is None:
            raise ValueError("A message names its system: give the client a system, or the draft an originating_system.")
        correlation = correlation_id or (cause["correlation_id"] if cause else None)
        time = timestamp or datetime.fromtimestamp(self._outside.now(), timezone.utc)
        return {
            "som_version": "1.0.0",
            "message_id": _uuid(message_id, "message_id") if message_id else self._new_id(),
            "correlation_id": _uuid(correlation, "correlation_id") if correlation else self._new_id(),
            **({"causation_id": _uuid(cause["message_id"], "The message_id of the cause")} if cause else {}),
            "message_type": message_type,
            "timestamp": _timestamp(time),
            "originating_system": system,
            "topic": topic or f"som.{message_type}",
            **members,
            "payload": payload,
        }

    def _new_id(self) -> str:
        return uuid7(round(self._outside.now() * 1000), self._outside.random_bytes(10))
