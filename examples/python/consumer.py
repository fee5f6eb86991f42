"""Receives until the queue is empty, and keeps the newest snapshot of each story: python3 consumer.py"""

import json
import sys

from client import Connection

connection = Connection()

# A real consumer keeps both where they outlive the process.
handled: set[str] = set()
newest: dict[str, int] = {}


def call(path: str, body: dict | None = None) -> dict:
    data = None if body is None else json.dumps(body).encode()
    status, answer = connection.call(f"consumers/{connection.client_id}/{path}", data)
    if status != 200:
        raise SystemExit(f"{status} {answer.decode()}")
    return json.loads(answer)


def is_news(message: dict) -> bool:
    """Whether it says something new: an older snapshot than the one we have does not."""
    if message["message_type"] != "story.context":
        return True
    payload = message["envelope"]["payload"]
    if payload["sequence_number"] < newest.get(payload["story_id"], -1):
        return False
    newest[payload["story_id"]] = payload["sequence_number"]
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
            # Nothing overtakes a message of its correlation_id.
            if message["correlation_id"] not in stuck:
                handle(message)
        except Exception as fault:
            # Look at receive_count too: what fails again and again is for a person.
            print("failed", message["message_id"], repr(fault), file=sys.stderr)
            stuck.add(message["correlation_id"])
        (failed if message["correlation_id"] in stuck else done).append(message["receipt_handle"])
    if done:
        call("ack", {"receipt_handles": done})
    if failed:
        call("nack", {"receipt_handles": failed, "delay_seconds": 30})
