"""When a record is taken, from the lag of a group: at once, late, tried in vain, or never."""

from __future__ import annotations

import math

import pytest
from sregym_apps.model import Client
from sregym_cluster_embedded.kubelet.runtime import ContainerRef
from sregym_cluster_embedded.telemetry.traces import names
from sregym_cluster_embedded.telemetry.traces.queues import Queue
from sregym_cluster_embedded.traffic.segments import QueueSegment

BOOK = (ContainerRef("shop", "book-1", "u1", "book", 0), "Book")


def part(start: float, lag: float, come: float, taken: float, progress: float) -> QueueSegment:
    takers = (BOOK,) if taken else ()
    return QueueSegment(start, (lag,), (come,), (taken,), (progress,), (), takers)


# Nobody is there from 100 to 200; from then on 30 a second are taken of the 10 that come.
AWAY = Queue(
    "booking",
    (
        part(0, 0, 10, 10, 10),
        part(100, 0, 10, 0, 0),
        part(200, 1000, 10, 30, 30),
        part(250, 0, 10, 10, 10),
    ),
)


@pytest.mark.parametrize(
    ("sent", "due"), [(50, 50), (100, 100), (130, 210), (200, 233.333), (240, 246.667), (300, 300)]
)
def test_what_waits_is_taken_in_order(sent: float, due: float) -> None:
    assert AWAY.due(0, sent) == pytest.approx(due, abs=0.01)
    assert AWAY.sent_between(0, due, due) == pytest.approx((sent, sent), abs=0.11)


def test_who_takes_it() -> None:
    assert [AWAY.taker(0, at) for at in (50, 150, 210)] == [BOOK, None, BOOK]
    assert [(s.start, s.stop, s.rate, s.stands) for s in AWAY.stints()] == [
        (0, 100, 10, False),
        (200, 250, 30, False),
        (250, math.inf, 10, False),
    ]


def test_what_was_left_behind_is_never_taken() -> None:
    known = (
        part(0, 0, 10, 10, 10),
        part(100, 0, 10, 0, 0),
        # Somebody set the group to the end of the topic.
        part(200, 0, 10, 10, 10),
    )
    queue = Queue("booking", known)
    assert [queue.due(0, sent) for sent in (99, 150, 201)] == [99, None, 201]
    assert Queue("booking", known[:2]).due(0, 150) is None


def test_a_topic_that_went_with_its_broker_loses_what_waits() -> None:
    known = (
        part(0, 0, 10, 0, 0),
        QueueSegment(100, (), (), (), ()),
        part(200, 0, 10, 10, 10),
    )
    queue = Queue("booking", known)
    assert queue.taker(0, 150) is None
    assert [queue.due(0, sent) for sent in (50, 150, 250)] == [None, 150, 250]


def test_a_record_whose_work_fails_is_tried_ever_more_rarely_told() -> None:
    queue = Queue(
        "booking",
        (part(0, 0, 10, 10, 10), part(100, 0, 10, 50, 0), part(200, 1000, 10, 50, 50)),
    )
    assert [*queue.tries(0, 50, 300)] == [*queue.tries(0, 100.5, 300)] == []
    told = [(number, round(at, 2)) for at, number, _ in queue.tries(0, 100.05, 300)]
    assert told[:3] == [(0, 100.05), (1, 100.07), (2, 100.09)]
    assert [number for number, _ in told[16:36]] == [*range(16, 32), 32, 34, 36, 38]
    assert len(told) == 148
    assert told[-1][1] > 194
    early = [(number, round(at, 2)) for at, number, _ in queue.tries(0, 100.05, 150)]
    assert told[: len(early)] == early
    assert queue.due(0, 100.05) == pytest.approx(200.01)


@pytest.mark.parametrize(("protocol", "system"), [("kafka", "kafka"), ("amqp", "rabbitmq")])
def test_brokers_have_the_names_that_spans_give_them(protocol: str, system: str) -> None:
    assert names.system_of(Client(protocol=protocol, address="broker:1")) == system
