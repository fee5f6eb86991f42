"""The connection that the environment variables name. Standard library only."""

import base64
import http.client
import json
import os
import random
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import NoReturn

ATTEMPTS = 8
LONGEST_PAUSE = 60


def _send_once(url: str, headers: dict, body: bytes | None) -> tuple[int, str | None, bytes]:
    """One attempt: status, Retry-After and body. A response that breaks off counts as none: reading it raises."""
    try:
        response = urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=40)
    except urllib.error.HTTPError as refusal:
        response = refusal
    with response:
        return response.status, response.headers.get("Retry-After"), response.read()


def send(url: str, headers: dict, body: bytes | None = None) -> tuple[int, bytes]:
    """Repeats a request until the response is final. A wait of more than a minute (a daily quota) is final too."""
    for attempt in range(1, ATTEMPTS + 1):
        pause = 0.2 * 2**attempt
        try:
            status, retry_after, response = _send_once(url, headers, body)
            pause = float(retry_after or pause)
            if status not in (429, 502, 503, 504) or attempt == ATTEMPTS or pause > LONGEST_PAUSE:
                break
        except (OSError, http.client.HTTPException):
            if attempt == ATTEMPTS:
                raise
        time.sleep(pause + random.random() * 0.2)
    return status, response


def _stop(words: str) -> NoReturn:
    print(words, file=sys.stderr)
    raise SystemExit(2)


def _variable(name: str) -> str:
    return os.environ.get(name) or _stop(f"Set {name}.")


class Connection:
    def __init__(self) -> None:
        self.base_url = _variable("SOMBUS_BASE_URL")
        URL = urllib.parse.urlsplit(self.base_url)
        if URL.scheme != "https" and URL.hostname not in ("localhost", "127.0.0.1", "::1"):
            _stop(f"{self.base_url} is not https.")
        self.workspace = f"{self.base_url}/tenants/{_variable('SOMBUS_WORKSPACE')}"
        self.client_id = _variable("SOMBUS_CLIENT_ID")
        secret = _variable("SOMBUS_CLIENT_SECRET")
        pair = ":".join(urllib.parse.quote(part, safe="") for part in (self.client_id, secret))
        self._basic = "Basic " + base64.b64encode(pair.encode()).decode()
        self._token, self._renew_at = "", 0.0

    def _renew(self) -> None:
        status, body = send(
            f"{self.base_url}/oauth/token", {"Authorization": self._basic}, b"grant_type=client_credentials"
        )
        if status != 200:
            raise SystemExit(f"No token: {status} {body.decode()}")
        issued = json.loads(body)
        self._token = issued["access_token"]
        self._renew_at = time.time() + issued["expires_in"] - 60

    def _ask(self, path: str, body: bytes | None) -> tuple[int, bytes]:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        return send(f"{self.workspace}/{path}", headers, body)

    def call(self, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """Calls a path of the workspace; a refused token is renewed once."""
        if time.time() >= self._renew_at:
            self._renew()
        status, response = self._ask(path, body)
        if status == 401:
            self._renew()
            status, response = self._ask(path, body)
        return status, response
