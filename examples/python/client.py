"""One connection of a bus, as environment variables name it."""

import base64
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request


def request(url: str, headers: dict, body: bytes | None = None) -> tuple[int, dict, bytes]:
    """Status, headers and body of an answer, whatever the status."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=40) as answer:
            return answer.status, dict(answer.headers), answer.read()
    except urllib.error.HTTPError as answer:
        return answer.code, {name.title(): value for name, value in answer.headers.items()}, answer.read()


class Account:
    def __init__(self) -> None:
        self.base_url = os.environ["SOMBUS_BASE_URL"]
        self.workspace = os.environ["SOMBUS_WORKSPACE"]
        self.client_id = os.environ["SOMBUS_CLIENT_ID"]
        self._secret = os.environ["SOMBUS_CLIENT_SECRET"]
        self._token, self._renew_at = "", 0.0

    def token(self, fresh: bool = False) -> str:
        """The same token until shortly before it ends."""
        if fresh or time.time() >= self._renew_at:
            pair = ":".join(urllib.parse.quote(part, safe="") for part in (self.client_id, self._secret))
            headers = {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}
            url = f"{self.base_url}/oauth/token"
            status, _, body = request(url, headers, b"grant_type=client_credentials")
            if status != 200:
                raise SystemExit(f"No token: {body.decode()}")
            issued = json.loads(body)
            self._token = issued["access_token"]
            self._renew_at = time.time() + issued["expires_in"] - 60
        return self._token
