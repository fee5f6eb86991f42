"""Receives until the queue is empty, and keeps the newest snapshot of each story. Standard library only."""

import json

from client import Account, request

account = Account()
queue = f"{account.base_url}/tenants/{account.workspace}/consumers/{account.client_id}"

# A real consumer keeps both where they outlive the process.
handled: set[str] = set()
newest: dict[str, int] = {}


def call(path: str, body: dict | None = None) -> dict:
    headers = {"Authorization": f"Bearer {account.token()}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    status, _, answer = request(f"{queue}/{path}", headers, data)
    if status != 200:
        raise SystemExit(f"{status} {answer.decode()}")
    return json.loads(answer)


def handle(message: dict) -> None:
    if message["message_id"] in handled:
        return
    payload = message["envelope"]["payload"]
    is_story = message["message_type"] == "story.context"
    if not is_story or payload["sequence_number"] > newest.get(payload["story_id"], -1):
        if is_story:
            newest[payload["story_id"]] = payload["sequence_number"]
        print(message["message_type"], message["message_id"])
    handled.add(message["message_id"])


while messages := call("messages?max=10&wait=1")["messages"]:
    for message in messages:
        handle(message)
    call("ack", {"receipt_handles": [message["receipt_handle"] for message in messages]})
