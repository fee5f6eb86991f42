"""Publishes a message, pulls it and acknowledges it, with the client of openapi-python-client."""

import json
import os
from datetime import datetime, timezone
from uuid import UUID

from generated import AuthenticatedClient, Client
from generated.api.consuming import ack, pull
from generated.api.publishing import publish
from generated.api.tokens import token
from generated.models import (
    AckRequest,
    EnvelopeSystem,
    EnvelopeSystemSystemType,
    Extensions,
    PulledMessages,
    Publication,
    Receipts,
    StoryContext,
    StoryContextMessage,
    StoryContextMessageTypes,
    StoryContextStoryType,
    Token,
    TokenRequest,
)

given = json.loads(os.environ["GIVEN"])
origin, workspace, message = given["origin"], given["workspace"], given["message"]
now = datetime(2026, 5, 4, 9, 0, 0, tzinfo=timezone.utc)


def session(client):
    body = TokenRequest("client_credentials", client["client_id"], client["client_secret"])
    issued = token.sync(client=Client(base_url=origin), body=body)
    assert isinstance(issued, Token), issued
    return AuthenticatedClient(base_url=origin, token=issued.access_token)


extensions = Extensions()
extensions["com.example.desk"] = {"row": 1}
story = StoryContextMessage(
    som_version="1.0.0",
    message_id=UUID(message["message_id"]),
    correlation_id=UUID(message["correlation_id"]),
    message_type=StoryContextMessageTypes.STORY_CONTEXT,
    timestamp=now,
    originating_system=EnvelopeSystem(given["producer"]["system_id"], EnvelopeSystemSystemType.NCS),
    topic="som.story",
    payload=StoryContext(
        story_id=message["story_id"],
        slug="HARBOUR-FIRE",
        headline="Fire in the harbour",
        story_type=StoryContextStoryType.PLANNED,
        sequence_number=1,
        updated_at=now,
        extensions=extensions,
    ),
)

published = publish.sync(workspace, client=session(given["producer"]), body=story)
assert isinstance(published, Publication), published
connection = given["consumer"]["client_id"]
consumer = session(given["consumer"])
pulled = pull.sync(workspace, connection, client=consumer, max_=1, wait=10)
assert isinstance(pulled, PulledMessages), pulled
[record] = pulled.messages
settled = ack.sync(workspace, connection, client=consumer, body=AckRequest([record.receipt_handle]))
assert isinstance(settled, Receipts), settled
print(
    json.dumps(
        {
            "accepted": published.accepted,
            "family": published.family,
            "pulled": record.message_id,
            "acknowledged": len(settled.ok),
        }
    )
)
