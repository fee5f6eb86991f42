"""The calls of one connection, as steps that the sync and the async client carry out."""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeVar, Union
from urllib.parse import quote, urlsplit

from .attempts import Attempt, Attempts, NoResponse
from .effects import Lock, Outside, Request, Route, Sleep, Steps, Unlock
from .envelope import Message
from .pace import Pace, after_limit, after_request, pause_before
from .verdicts import (
    FullResponse,
    DryRunVerdict,
    Refused,
    TokenRefused,
    UnexpectedResponse,
    Verdict,
    dry_run_verdict_in,
    refusal_in,
    token_refusal_in,
    verdict_in,
)

#: A message, or its bytes or text, which are sent as they are.
Outgoing = Union[Message, bytes, str]


@dataclass(frozen=True)
class PulledMessage:
    """A message as the bus delivers it."""

    #: As its producer wrote it.
    message: Mapping[str, Any]
    #: The same as text, with every digit of its numbers.
    text: str
    receipt_handle: str
    message_id: str
    message_type: str
    correlation_id: str
    producer_id: str
    system_id: str
    enqueued_at: str
    #: From 1.
    receive_count: int


@dataclass(frozen=True)
class Pulled:
    outcome: ClassVar[Literal["pulled"]] = "pulled"
    messages: tuple[PulledMessage, ...]
    #: Epoch seconds: the bus hides the messages from then on, or from later on.
    asked_at: float


@dataclass(frozen=True)
class FailedReceipt:
    receipt_handle: str
    rule: str
    message: str


@dataclass(frozen=True)
class Settled:
    """The result for each receipt handle. Those in ``failed`` changed nothing."""

    outcome: ClassVar[Literal["settled"]] = "settled"
    ok: tuple[str, ...]
    failed: tuple[FailedReceipt, ...]


@dataclass(frozen=True)
class Backlog:
    """What waits for a consumer."""

    outcome: ClassVar[Literal["backlog"]] = "backlog"
    visible: int
    #: Pulled, and neither acknowledged nor returned yet.
    in_flight: int
    #: How long the oldest has waited; None when none waits, or when it is not known.
    oldest_seconds: int | None
    #: Why it is not known, in a sentence.
    oldest_unknown: str | None = None


@dataclass(frozen=True)
class SkillRegistration:
    """A skill instance that a house registered for a consumer, which executes it."""

    registration_id: str
    skill_id: str
    skill_version: str
    instance_label: str
    values: dict[str, Any]
    paused: bool


@dataclass(frozen=True)
class Registrations:
    outcome: ClassVar[Literal["registrations"]] = "registrations"
    registrations: tuple[SkillRegistration, ...]


@dataclass(frozen=True)
class Account:
    """A connection to a bus."""

    #: With or without ``/v1`` at its end.
    base_url: str
    workspace: str
    client_id: str
    client_secret: str


_LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|::1")
_TOKEN_SECONDS = 15.0
_PUBLISH_SECONDS = 35.0
_MARGIN_SECONDS = 15.0
_MAX_TOKEN_MARGIN = 60.0

_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],]', re.DOTALL)


def member_texts(text: str, name: str, depth: int) -> list[str]:
    """The text of each value of a member that is ``depth`` objects and arrays deep. The text is valid JSON."""
    found: list[str] = []
    sought, level, begin = json.dumps(name), 0, -1
    for token in _TOKENS.finditer(text):
        word = token.group()
        if word in ",}" and level == depth and begin >= 0:
            found.append(text[begin : token.start()].strip())
            begin = -1
        level += (word in "{[") - (word in "}]")
        if level == depth and begin < 0 and word == sought:
            colon = re.compile(r"\s*:").match(text, token.end())
            begin = colon.end() if colon else -1
    return found


def checked_address(base_url: str) -> str:
    """:raises ValueError: when a secret may not be sent there"""
    url = base_url.rstrip("/")
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and _LOOPBACK.fullmatch(parts.hostname or "")):
        raise ValueError(f"{url} does not use https: the secret would travel in the clear.")
    return url if url.endswith("/v1") else f"{url}/v1"


def direct_hosts(base_url: str) -> dict[str, None]:
    """For the ``mounts`` of httpx: a bus on this machine is called directly, whatever proxy the environment names."""
    host = urlsplit(base_url).hostname or ""
    if not _LOOPBACK.fullmatch(host):
        return {}
    return {f"all://[{host}]" if ":" in host else f"all://{host}": None}


def _encoded(text: str) -> bytes:
    """:raises ValueError: when it has half of a surrogate pair, which UTF-8 cannot write"""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        before = text[max(0, error.start - 40) : error.start]
        code = f"U+{ord(text[error.start]):04X}"
        raise ValueError(f"The message cannot be sent: {code}, after {before!r}, is half of a surrogate pair.") from None


def _content(message: Outgoing) -> tuple[bytes, str | None]:
    if isinstance(message, bytes):
        return message, None
    if isinstance(message, str):
        return _encoded(message), None
    text = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _encoded(text), message.get("message_id")


class Core:
    def __init__(
        self,
        account: Account,
        outside: Outside,
        on_attempt: Callable[[Attempt], None],
        publishes_per_minute: float = math.inf,
    ) -> None:
        self._account = account
        self._base = checked_address(account.base_url)
        self._address = f"{self._base}/tenants/{account.workspace}"
        self._outside = outside
        self._on_attempt = on_attempt
        self._attempts = Attempts(outside, self._note)
        self._pace = Pace(publishes_per_minute, outside.now())
        self._token: tuple[str, float] | None = None

    def _note(self, attempt: Attempt) -> None:
        if attempt.route in ("publish", "validate"):
            now = self._outside.now()
            if attempt.number > 1:
                self._pace = after_request(self._pace, now)
            if attempt.status == 429:
                self._pace = after_limit(self._pace, now)
        self._on_attempt(attempt)

    def _turn(self, seconds: float) -> Steps[None]:
        """Waits until a publish or a dry run may be sent: for half of its time at most."""
        now = self._outside.now()
        pause = min(pause_before(self._pace, 1, now), seconds / 2)
        self._pace = after_request(self._pace, now)
        if pause > 0:
            yield Sleep(pause)

    def _known(self) -> str | None:
        if self._token and self._outside.now() < self._token[1]:
            return self._token[0]
        return None

    def _get_token(self, deadline: float) -> Steps[str | TokenRefused]:
        if known := self._known():
            return known
        if not (yield Lock(max(0.0, deadline - self._outside.now()))):
            raise NoResponse(self._base, 0)
        try:
            # Another call may have renewed it meanwhile.
            return self._known() or (yield from self._renew(deadline))
        finally:
            yield Unlock()

    def _renew(self, deadline: float) -> Steps[str | TokenRefused]:
        # RFC 6749 section 2.3.1: both parts are encoded as in a form first.
        pair = ":".join(quote(part, safe="") for part in (self._account.client_id, self._account.client_secret))
        headers = {
            "authorization": f"Basic {base64.b64encode(pair.encode()).decode()}",
            "content-type": "application/x-www-form-urlencoded",
        }
        content = b"grant_type=client_credentials"
        request = Request("token", "POST", f"{self._base}/oauth/token", headers, content, _TOKEN_SECONDS)
        asked = self._outside.now()
        response = yield from self._attempts.send(request, deadline)
        token = response.body.get("access_token")
        if response.status != 200 or not isinstance(token, str) or not token:
            return token_refusal_in(response)
        expires_in = response.body.get("expires_in")
        seconds = float(expires_in) if isinstance(expires_in, (int, float)) else 0.0
        # A minute before its end; a short one after nine tenths of its time.
        self._token = (token, asked + seconds - min(_MAX_TOKEN_MARGIN, seconds / 10))
        return token

    def _call(
        self,
        route: Route,
        path: str,
        content: bytes | None,
        timeout: float,
        deadline: float,
        message_id: str | None = None,
        wait: float = 0,
    ) -> Steps[FullResponse | TokenRefused]:
        """A call with a token; one that the bus refuses is renewed, once.

        :param wait: how long the bus may hold the response back: this does not count against the deadline
        """
        may_be_done = False
        for is_last in (False, True):
            token = yield from self._get_token(deadline)
            if isinstance(token, TokenRefused):
                return token
            headers = {"authorization": f"Bearer {token}"}
            if content is not None:
                headers["content-type"] = "application/json"
            method = "GET" if content is None else "POST"
            request = Request(route, method, f"{self._address}/{path}", headers, content, timeout + wait, message_id)
            response = yield from self._attempts.send(request, deadline + wait)
            may_be_done = may_be_done or response.may_be_done
            if response.status != 401 or is_last:
                return replace(response, may_be_done=may_be_done)
            if self._token and self._token[0] == token:
                self._token = None
        raise AssertionError("unreachable")

    def _ask(self, route: Literal["publish", "validate"], message: Outgoing, seconds: float) -> Steps[FullResponse | TokenRefused]:
        content, message_id = _content(message)
        path = "messages" if route == "publish" else "validate"
        deadline = self._outside.now() + seconds
        yield from self._turn(seconds)
        return (yield from self._call(route, path, content, _PUBLISH_SECONDS, deadline, message_id))

    def publish(self, message: Outgoing, seconds: float) -> Steps[Verdict]:
        response = yield from self._ask("publish", message, seconds)
        return response if isinstance(response, TokenRefused) else verdict_in(response)

    def validate(self, message: Outgoing, seconds: float) -> Steps[DryRunVerdict]:
        response = yield from self._ask("validate", message, seconds)
        return response if isinstance(response, TokenRefused) else dry_run_verdict_in(response)

    def pull(self, limit: int, wait: int, visibility: int, seconds: float) -> Steps[Pulled | Refused | TokenRefused]:
        path = f"consumers/{self._account.client_id}/messages?max={limit}&wait={wait}&visibility={visibility}"
        deadline = self._outside.now() + seconds
        response = yield from self._call("pull", path, None, _MARGIN_SECONDS, deadline, wait=wait)
        return _read(response, _pulled)

    def backlog(self, seconds: float) -> Steps[Backlog | Refused | TokenRefused]:
        path = f"consumers/{self._account.client_id}/backlog"
        response = yield from self._call("backlog", path, None, _MARGIN_SECONDS, self._outside.now() + seconds)
        return _read(response, _backlog)

    def registrations(self, seconds: float) -> Steps[Registrations | Refused | TokenRefused]:
        path = f"consumers/{self._account.client_id}/skills"
        response = yield from self._call("skills", path, None, _MARGIN_SECONDS, self._outside.now() + seconds)
        return _read(response, _registrations)

    def settle(
        self, route: Literal["ack", "nack"], handles: Sequence[str], delay_seconds: int, seconds: float
    ) -> Steps[Settled | Refused | TokenRefused]:
        delay = {} if route == "ack" else {"delay_seconds": delay_seconds}
        content = json.dumps({"receipt_handles": list(handles), **delay}).encode()
        path = f"consumers/{self._account.client_id}/{route}"
        response = yield from self._call(route, path, content, _MARGIN_SECONDS, self._outside.now() + seconds)
        return _read(response, _settled)


Result = TypeVar("Result")


def _read(response: FullResponse | TokenRefused, read: Callable[[FullResponse], Result]) -> Result | Refused | TokenRefused:
    if isinstance(response, TokenRefused):
        return response
    return read(response) if response.status == 200 else refusal_in(response)


def _expected(response: FullResponse, value: Any, kind: type[Result]) -> Result:
    """:raises UnexpectedResponse: when a member is missing, or of another type: then something other than a bus answered"""
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise UnexpectedResponse(response)
    return value


def _objects(response: FullResponse, name: str) -> list[dict[str, Any]]:
    values = _expected(response, response.body.get(name), list)
    return [_expected(response, value, dict) for value in values]


def _texts(response: FullResponse, record: Mapping[str, Any], names: Sequence[str]) -> dict[str, str]:
    return {name: _expected(response, record.get(name), str) for name in names}


_PULLED = ("receipt_handle", "message_id", "message_type", "correlation_id", "producer_id", "system_id", "enqueued_at")


def _pulled(response: FullResponse) -> Pulled:
    records = _objects(response, "messages")
    # `messages`, and each of them, in the object of the response.
    texts = member_texts(response.content.decode(), "envelope", 3)
    if len(records) != len(texts):
        raise UnexpectedResponse(response)
    return Pulled(
        tuple(
            PulledMessage(
                message=_expected(response, record.get("envelope"), dict),
                text=text,
                receive_count=_expected(response, record.get("receive_count"), int),
                **_texts(response, record, _PULLED),
            )
            for record, text in zip(records, texts)
        ),
        response.asked_at,
    )


def _backlog(response: FullResponse) -> Backlog:
    body = response.body
    oldest = body.get("oldest_seconds")
    unknown = body.get("oldest_unknown")
    return Backlog(
        visible=_expected(response, body.get("visible"), int),
        in_flight=_expected(response, body.get("in_flight"), int),
        oldest_seconds=None if oldest is None else _expected(response, oldest, int),
        oldest_unknown=None if unknown is None else _expected(response, unknown, str),
    )


_REGISTRATION = ("registration_id", "skill_id", "skill_version", "instance_label")


def _registrations(response: FullResponse) -> Registrations:
    return Registrations(
        tuple(
            SkillRegistration(
                values=_expected(response, record.get("values"), dict),
                paused=_expected(response, record.get("paused"), bool),
                **_texts(response, record, _REGISTRATION),
            )
            for record in _objects(response, "registrations")
        )
    )


def _settled(response: FullResponse) -> Settled:
    handles = _expected(response, response.body.get("ok"), list)
    return Settled(
        ok=tuple(_expected(response, handle, str) for handle in handles),
        failed=tuple(
            FailedReceipt(**_texts(response, one, ("receipt_handle", "rule", "message")))
            for one in _objects(response, "failed")
        ),
    )
