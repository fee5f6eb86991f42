"""What the bus responds with, as values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Union


@dataclass(frozen=True)
class FullResponse:
    """A response that arrived in full."""

    status: int
    content: bytes
    request_id: str | None = None
    retry_after_seconds: int | None = None
    #: Epoch seconds at which the attempt began that got it.
    asked_at: float = 0.0
    #: Whether the bus may have done what was asked: in this attempt, or in an earlier one of the call.
    may_be_done: bool = False

    @property
    def body(self) -> Mapping[str, Any]:
        """The JSON object; an empty one when there is none."""
        try:
            body = json.loads(self.content)
        except ValueError:
            return {}
        return body if isinstance(body, dict) else {}


@dataclass(frozen=True)
class Violation:
    """One reason of the bus. ``rule`` is stable; ``message`` is for people."""

    source: str
    rule: str
    message: str
    #: A JSON Pointer into the message.
    path: str | None = None


@dataclass(frozen=True)
class Accepted:
    """Validated, and in the queue of every subscribed consumer."""

    outcome: ClassVar[Literal["accepted"]] = "accepted"
    message_id: str
    message_type: str
    #: The schema that checked the payload; None when SOM 1.0 has none for it.
    family: str | None
    #: What the bus noticed and let pass.
    tolerated: tuple[Violation, ...]
    #: Whether this was ``validate``: then nothing was sent.
    dry_run: bool


@dataclass(frozen=True)
class Duplicate:
    """A message with this id and the same content was accepted before."""

    outcome: ClassVar[Literal["duplicate"]] = "duplicate"
    message_id: str


@dataclass(frozen=True)
class Refused:
    """Refused, and not accepted: the first violation decides the status."""

    outcome: ClassVar[Literal["refused"]] = "refused"
    status: int
    violations: tuple[Violation, ...]
    #: When the same bytes may be sent again, if the bus says so.
    retry_after_seconds: int | None = None
    request_id: str | None = None


@dataclass(frozen=True)
class Uncertain:
    """The message may have been accepted. Publish the same message again.

    An attempt got no response, or 503 ``bus.publish_failed``, and the last response before the deadline does not tell.
    """

    outcome: ClassVar[Literal["uncertain"]] = "uncertain"
    status: int
    violations: tuple[Violation, ...]
    retry_after_seconds: int | None = None
    request_id: str | None = None


@dataclass(frozen=True)
class TokenRefused:
    """The bus gave the connection no token (RFC 6749 section 5.2): nothing was sent."""

    outcome: ClassVar[Literal["token_refused"]] = "token_refused"
    status: int
    #: Such as ``invalid_client``.
    error: str
    description: str
    request_id: str | None = None


#: The result of a publish.
Verdict = Union[Accepted, Duplicate, Refused, Uncertain, TokenRefused]

#: The result of a dry run.
DryRunVerdict = Union[Accepted, Duplicate, Refused, TokenRefused]


class UnexpectedResponse(Exception):
    """Something other than a bus answered."""

    def __init__(self, response: FullResponse) -> None:
        request_id = "" if response.request_id is None else f", x-request-id {response.request_id}"
        super().__init__(
            f"The response (status {response.status}{request_id}) is not one of a bus: "
            "is base_url its URL, and not that of its portal?"
        )
        self.status = response.status


def _violations(values: Any) -> tuple[Violation, ...]:
    members = [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []
    return tuple(
        Violation(
            source=str(one.get("source", "")),
            rule=str(one.get("rule", "")),
            message=str(one.get("message", "")),
            path=one.get("path"),
        )
        for one in members
    )


def violations_in(response: FullResponse) -> tuple[Violation, ...]:
    """The reasons of a refusal; none when the response is something else."""
    return _violations(response.body.get("violations"))


def refusal_in(response: FullResponse) -> Refused:
    violations = violations_in(response)
    if not violations:
        raise UnexpectedResponse(response)
    return Refused(response.status, violations, response.retry_after_seconds, response.request_id)


def token_refusal_in(response: FullResponse) -> TokenRefused:
    body = response.body
    for violation in violations_in(response):
        return TokenRefused(response.status, violation.rule, violation.message, response.request_id)
    if "error" not in body:
        raise UnexpectedResponse(response)
    description = str(body.get("error_description", ""))
    return TokenRefused(response.status, str(body["error"]), description, response.request_id)


def dry_run_verdict_in(response: FullResponse) -> DryRunVerdict:
    body = response.body
    if body.get("accepted") is not True:
        return refusal_in(response)
    message_id = str(body.get("message_id", ""))
    if body.get("duplicate") is True:
        return Duplicate(message_id)
    return Accepted(
        message_id=message_id,
        message_type=str(body.get("message_type", "")),
        family=body.get("family"),
        tolerated=_violations(body.get("tolerated")),
        dry_run=body.get("dry_run") is True,
    )


# Refusals that come before the bus looks at the message.
_SAYS_NOTHING_OF_THE_MESSAGE = frozenset({401, 403, 429, 503})


def verdict_in(response: FullResponse) -> Verdict:
    verdict = dry_run_verdict_in(response)
    if isinstance(verdict, Refused) and response.may_be_done and response.status in _SAYS_NOTHING_OF_THE_MESSAGE:
        return Uncertain(verdict.status, verdict.violations, verdict.retry_after_seconds, verdict.request_id)
    return verdict
