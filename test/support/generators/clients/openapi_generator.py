"""Publishes a message, pulls it and acknowledges it, with the Python client of OpenAPI Generator."""

import json
import os
from datetime import datetime, timezone

from openapi_client import (
    AckRequest,
    ApiClient,
    Configuration,
    ConsumingApi,
    EnvelopeSystem,
    Message,
    PublishingApi,
    StoryContext,
    StoryContextMessage,
    TokensApi,
)

given = json.loads(os.environ["GIVEN"])
origin, workspace, message = given["origin"], given["workspace"], given["message"]
now = datetime(2026, 5, 4, 9, 0, 0, tzinfo=timezone.utc)


def session(client):
    tokens = TokensApi(ApiClient(Configuration(host=origin)))
    issued = tokens.token(
        "client_credentials", client_id=client["client_id"], client_secret=client["client_secret"]
    )
    return ApiClient(Configuration(host=origin, access_token=issued.access_token))


story = StoryContextMessage(
    som_version="1.0.0",
    message_id=message["message_id"],
    correlation_id=message["correlation_id"],
    message_type="story.context",
    timestamp=now,
    originating_system=EnvelopeSystem(system_id=given["producer"]["system_id"], system_type="ncs"),
    topic="som.story",
    payload=StoryContext(
        story_id=message["story_id"],
        slug="HARBOUR-FIRE",
        headline="Fire in the harbour",
        story_type="PLANNED",
        sequence_number=1,
        updated_at=now,
        extensions={"com.example.desk": {"row": 1}},
    ),
)

published = PublishingApi(session(given["producer"])).publish(workspace, Message(story))
connection = given["consumer"]["client_id"]
consuming = ConsumingApi(session(given["consumer"]))
[record] = consuming.pull(workspace, connection, max=1, wait=10).messages
settled = consuming.ack(workspace, connection, AckRequest(receipt_handles=[record.receipt_handle]))
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
