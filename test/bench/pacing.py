"""Eight consumers and a producer with the Python client, for ``pacing.bench.ts``. Prints what it saw as JSON; times in milliseconds."""

import asyncio
import json
import os
import time
import traceback
import uuid
from datetime import datetime
from typing import Any

from sombus import AsyncBus, Attempt

plan = json.loads(os.environ["SOMBUS_PACING_PLAN"])
requests: list[float] = []
refused = 0
published = 0
ended = 0
publish_times: list[float] = []
lags: list[float] = []


def note(attempt: Attempt) -> None:
    global refused
    requests.append((time.time() - attempt.seconds) * 1000)
    if attempt.status == 429:
        refused += 1


def bus_of(account: dict[str, str], **more: Any) -> AsyncBus:
    return AsyncBus(
        base_url=account["baseUrl"],
        workspace=account["workspace"],
        client_id=account["clientId"],
        client_secret=account["clientSecret"],
        on_attempt=note,
        **more,
    )


async def consume(account: dict[str, str]) -> None:
    global ended
    try:
        async with bus_of(account) as bus, bus.consume() as deliveries:
            async for delivery in deliveries:
                accepted = datetime.fromisoformat(delivery.pulled.enqueued_at.replace("Z", "+00:00"))
                lags.append((time.time() - accepted.timestamp()) * 1000)
    except asyncio.CancelledError:
        raise
    except Exception:
        traceback.print_exc()
        ended += 1


async def publish(bus: AsyncBus) -> None:
    global published
    payload = {
        "story_id": f"story-{uuid.uuid4()}",
        "slug": "RIVER",
        "headline": "The river rose again last night. " * 100,
        "story_type": "PLANNED",
        "sequence_number": 1,
        "updated_at": "2026-05-04T09:00:00Z",
    }
    message = bus.compose("story.context", payload)
    began = time.time()
    verdict = await bus.publish(message)
    publish_times.append((time.time() - began) * 1000)
    if verdict.outcome in ("accepted", "duplicate"):
        published += 1


async def settled(count: int) -> None:
    end = time.time() + 180
    while len(lags) < count and not ended and time.time() < end:
        await asyncio.sleep(0.1)


async def main() -> None:
    global lags
    consumers = [asyncio.create_task(consume(account)) for account in plan["consumers"]]
    async with bus_of(plan["producer"], system={"system_id": "demo-ncs", "system_type": "ncs"}) as bus:
        began = time.time()
        publishes = []
        for sent in range(int(plan["seconds"] * plan["perSecond"])):
            await asyncio.sleep(max(0.0, began + sent / plan["perSecond"] - time.time()))
            publishes.append(asyncio.create_task(publish(bus)))
        await asyncio.gather(*publishes)
        await settled(published * len(consumers))
        stream, lags = lags, []
        await asyncio.sleep(plan["silence"])
        await publish(bus)
        await settled(len(consumers))
    for task in consumers:
        task.cancel()
    await asyncio.gather(*consumers, return_exceptions=True)
    seen = {
        "requests": requests,
        "refused": refused,
        "published": published,
        "delivered": len(stream) + len(lags),
        "ended": ended,
        "publishTimes": publish_times,
        "lags": stream,
        "silenceLags": lags,
    }
    print(json.dumps(seen))


asyncio.run(main())
