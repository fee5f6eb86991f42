"""pytest, with a bus beside it: npx som-bus exec -- pytest test_story.py"""

import os

import pytest
from sombus import Accepted, Bus, Refused, from_environment


@pytest.fixture
def producer():
    system = {"system_id": os.environ["SOMBUS_SYSTEM_ID"], "system_type": "ncs"}
    with Bus(**from_environment("SOMBUS_PUBLISHER"), system=system) as bus:
        yield bus


@pytest.fixture
def consumer():
    with Bus(**from_environment("SOMBUS_READER")) as bus:
        yield bus


def story(number):
    return {
        "story_id": "harbour-fire",
        "slug": "HARBOUR-FIRE",
        "headline": "Fire in the harbour",
        "story_type": "PLANNED",
        "sequence_number": number,
        "updated_at": "2026-05-04T09:00:00Z",
    }


def test_snapshots_arrive_in_order(producer, consumer):
    first = producer.compose("story.context", story(1))
    second = producer.compose("story.context", story(2), cause=first)
    for message in (first, second):
        assert isinstance(producer.publish(message), Accepted)
    with consumer.consume(wait=5, until_empty=True) as deliveries:
        numbers = [one.message["payload"]["sequence_number"] for one in deliveries]
    assert numbers == [1, 2]


def test_an_old_snapshot_is_refused(producer):
    verdict = producer.publish(producer.compose("story.context", story(1)))
    assert isinstance(verdict, Refused)
    assert verdict.violations[0].rule == "sequence_number.not_increasing"
