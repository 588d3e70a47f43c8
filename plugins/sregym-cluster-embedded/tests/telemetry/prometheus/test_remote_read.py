"""Another Prometheus takes samples as they are stored."""

from __future__ import annotations

import math
import struct

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.request import Request, Response
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.telemetry.endpoints import service
from sregym_cluster_embedded.telemetry.prometheus.packing import (
    PackingError,
    field,
    fields,
    packed,
    signed,
    unpacked,
    varint,
    whole_field,
)
from sregym_cluster_embedded.world import World

WEB = {
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {
        "replicas": 0,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "ghcr.io/acme/none:1"}]},
        },
    },
}


@pytest.fixture(scope="module")
def world() -> World:
    made = build(Blueprint())
    internal_client.create(made, "deployments.apps", WEB)
    made.run_until(120)
    internal_client.delete(made, Key("deployments.apps", "default", "web"))
    made.run_until(180)
    return made


def asked(world: World, body: bytes) -> Response:
    return service("prometheus")(world, Request("POST", "/api/v1/read", (), {}, body))


def query(world: World, *matchers: tuple[int, str, str]) -> bytes:
    """A query for all that a world has."""
    begin, end = world.epoch * 1000, round((world.epoch + world.now) * 1000)
    told = b"".join(
        field(3, whole_field(1, kind) + field(2, name.encode()) + field(3, value.encode()))
        for kind, name, value in matchers
    )
    return field(1, whole_field(1, begin) + whole_field(2, end) + told)


def read(answer: Response) -> list[list[tuple[dict[str, str], list[tuple[float, int]]]]]:
    """By query, series with their samples: value and milliseconds."""
    found = []
    for _, result in fields(unpacked(answer.body)):
        assert isinstance(result, bytes)
        found.append([series(one) for _, one in fields(result) if isinstance(one, bytes)])
    return found


def series(message: bytes) -> tuple[dict[str, str], list[tuple[float, int]]]:
    labels, samples = {}, []
    for number, inner in fields(message):
        assert isinstance(inner, bytes)
        (_, first), (_, second) = fields(inner)
        if number == 1:
            assert isinstance(first, bytes)
            assert isinstance(second, bytes)
            labels[first.decode()] = second.decode()
        else:
            assert isinstance(first, bytes)
            assert isinstance(second, int)
            samples.append((struct.unpack("<d", first)[0], signed(second)))
    return labels, samples


def test_samples_are_those_of_a_query(world: World) -> None:
    name = "kube_deployment_spec_replicas"
    body = query(world, (0, "__name__", name), (2, "deployment", "we.*"), (1, "namespace", "x"))
    answer = asked(world, packed(body + query(world, (0, "__name__", "nothing"))))

    assert (answer.status, answer.content_type) == (200, "application/x-protobuf")
    assert answer.headers == {"Content-Encoding": "snappy"}
    (((labels, samples),), nothing) = read(answer)
    assert nothing == []
    assert list(labels) == sorted(labels)
    assert (labels["__name__"], labels["deployment"]) == (name, "web")
    ends = world.epoch * 1000 + 120_000
    assert [value for value, at in samples if at < ends] == [0.0] * 4
    # Where a series ends, the mark of it has its very bits.
    ((mark, at),) = [(value, at) for value, at in samples if at >= ends]
    assert math.isnan(mark)
    assert struct.pack("<d", mark) == bytes.fromhex("020000000000f07f")
    assert at < ends + 15_000


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "snappy: corrupt input"),
        (b"\x05\x00a", "snappy: corrupt input"),
        (packed(b"\x0a\x05a"), "unexpected EOF"),
        (packed(b"\x0b"), "proto: illegal wireType 3"),
        (
            packed(field(2, b"\x01")),
            "server does not support any of the requested response types: "
            "[STREAMED_XOR_CHUNKS]; supported: map[SAMPLES:{}]",
        ),
        (
            packed(field(1, field(3, whole_field(1, 2) + field(2, b"a") + field(3, b"(")))),
            "missing closing ): `^(?:()$`",
        ),
        (packed(field(1, field(3, whole_field(1, 9)))), "invalid matcher type"),
    ],
)
def test_what_cannot_be_read(world: World, body: bytes, words: str) -> None:
    answer = asked(world, body)

    assert (answer.status, answer.body.decode()) == (400, f"{words}\n")


def test_blocks() -> None:
    assert unpacked(bytes.fromhex("1400614a0100")) == b"a" * 20
    # Three letters, then six from three before: longer than what there is so far.
    assert unpacked(bytes.fromhex("0908616263" + "0903")) == b"abcabcabc"
    assert unpacked(packed(b"")) == b""
    long = bytes(range(256)) * 1000
    assert unpacked(packed(long)) == long
    with pytest.raises(PackingError, match=r"^snappy: decoded block is too large$"):
        unpacked(varint(2**40))


def test_numbers() -> None:
    for number in (0, 1, 127, 128, -1, 2**63 - 1, -(2**63)):
        ((_, found),) = fields(whole_field(1, number))
        assert isinstance(found, int)
        assert signed(found) == number
