"""Publishes and consumes with the Python client, as its standard input says, and prints what arrived."""

import json
import sys
import threading

from sombus import Accepted, Bus, ConsumerRefused, Duplicate, NoResponse

task = json.load(sys.stdin)


def connect(name, **options):
    given = task[name]
    return Bus(
        base_url=given["baseUrl"],
        workspace=given["workspace"],
        client_id=given["clientId"],
        client_secret=given["clientSecret"],
        **options,
    )


def publish(bus, chain, errors):
    try:
        for number in range(1, task["each"] + 1):
            message = bus.compose("asset.ingested", {"number": number}, correlation_id=chain)
            verdict = bus.publish(message, deadline=86_400)
            assert isinstance(verdict, (Accepted, Duplicate)), verdict
    except BaseException as error:
        errors.append(error)


def consume_once(consumer, seen):
    """Until the queue is empty, or until a call has used up its deadline: most requests fail here."""
    try:
        with consumer.consume(wait=1, visibility=10, until_empty=True) as deliveries:
            for delivery in deliveries:
                arrival = (delivery.correlation_id, delivery.message["payload"]["number"])
                seen.add(arrival)
                print(json.dumps(arrival))
    except (ConsumerRefused, NoResponse):
        pass


def main():
    errors = []
    seen = set()
    # A producer is an app of its own: it sends as itself.
    with connect("producer", system={"system_id": "app-1", "system_type": "custom"}) as producer:
        threads = [threading.Thread(target=publish, args=(producer, chain, errors)) for chain in task["chains"]]
        for thread in threads:
            thread.start()
        with connect("consumer") as consumer:
            while not errors and len(seen) < len(task["chains"]) * task["each"]:
                consume_once(consumer, seen)
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]


main()
