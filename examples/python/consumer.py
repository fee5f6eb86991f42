"""Receives until the queue is empty, and keeps the latest snapshot of each story: python3 consumer.py"""

import json
import sys

from client import Connection

connection = Connection()

# A real consumer keeps both in a database.
handled: set[str] = set()
latest: dict[str, int] = {}


def call(path: str, body: dict | None = None) -> dict:
    data = None if body is None else json.dumps(body).encode()
    status, response = connection.call(f"consumers/{connection.client_id}/{path}", data)
    if status != 200:
        raise SystemExit(f"{status} {response.decode()}")
    return json.loads(response)


def is_news(message: dict) -> bool:
    """Whether a message is newer than the snapshot that we have."""
    if message["message_type"] != "story.context":
        return True
    payload = message["envelope"]["payload"]
    if payload["sequence_number"] < latest.get(payload["story_id"], -1):
        return False
    latest[payload["story_id"]] = payload["sequence_number"]
    return True


def handle(message: dict) -> None:
    if message["message_id"] in handled:
        return
    if is_news(message):
        print(message["message_type"], message["message_id"])
    handled.add(message["message_id"])


while messages := call("messages?max=10&wait=1")["messages"]:
    done, failed, stuck = [], [], set()
    for message in messages:
        try:
            # Messages of one correlation_id stay in order.
            if message["correlation_id"] not in stuck:
                handle(message)
        except Exception as error:
            # Check receive_count too: a message that keeps failing needs a person.
            print("failed", message["message_id"], repr(error), file=sys.stderr)
            stuck.add(message["correlation_id"])
        (failed if message["correlation_id"] in stuck else done).append(message["receipt_handle"])
    if done:
        call("ack", {"receipt_handles": done})
    if failed:
        call("nack", {"receipt_handles": failed, "delay_seconds": 30})
