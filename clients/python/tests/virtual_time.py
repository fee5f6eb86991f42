"""Time that passes only when somebody waits for it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone

START = datetime(2026, 5, 4, 9, tzinfo=timezone.utc).timestamp()


class VirtualTime:
    def __init__(self) -> None:
        self._now = START
        self._stop: tuple[float, Callable[[], None]] | None = None

    def now(self) -> float:
        return self._now

    def stop_at(self, seconds: float, stop: Callable[[], None]) -> None:
        """Calls ``stop`` once, so many seconds from now."""
        self._stop = (self._now + seconds, stop)
        self.sleep(0)

    def sleep(self, seconds: float, until_stop: bool = False) -> None:
        """:param until_stop: whether a stop ends the sleep"""
        end = self._now + seconds
        if self._stop and self._stop[0] <= end:
            at, stop = self._stop
            self._stop, self._now = None, max(self._now, at)
            stop()
            if until_stop:
                return
        self._now = max(self._now, end)

    def no_stop(self) -> None:
        self._stop = None
