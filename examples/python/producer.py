"""Publishes the message in a file: python3 producer.py message.json. Standard library only."""

import random
import sys
import time

from client import Account, request

ATTEMPTS = 8


def publish(account: Account, body: bytes) -> tuple[int, bytes]:
    """Sends the same bytes until the answer is final."""
    url = f"{account.base_url}/tenants/{account.workspace}/messages"
    for attempt in range(1, ATTEMPTS + 1):
        headers = {"Authorization": f"Bearer {account.token()}", "Content-Type": "application/json"}
        try:
            status, answer_headers, answer = request(url, headers, body)
        except OSError:
            if attempt == ATTEMPTS:
                raise
            status, answer_headers, answer = 503, {}, b""
        if status not in (401, 429, 503):
            break
        if status == 401:
            account.token(fresh=True)
        if attempt < ATTEMPTS:
            wait = float(answer_headers.get("Retry-After", 0.2 * 2**attempt))
            time.sleep(wait + random.random() * 0.2)
    return status, answer


if __name__ == "__main__":
    with open(sys.argv[1] if len(sys.argv) > 1 else "examples/message.json", "rb") as file:
        status, answer = publish(Account(), file.read())
    print(status, answer.decode())
    sys.exit(0 if status in (200, 202) else 1)
