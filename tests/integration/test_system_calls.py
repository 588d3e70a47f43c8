"""Which system calls programs make as they serve, and which faults below them fit whom for it."""

from __future__ import annotations

import pytest
from sregym_core.api import Workspace
from sregym_core.errors import UsageError
from sregym_runs import pair


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    return Workspace()


def test_what_programs_call(workspace: Workspace) -> None:
    system = workspace.factory.application("hotel-reservation")
    calls = {part.name: part.system_calls for part in system.components()}
    files = ("fsync", "mmap", "mprotect", "open", "read", "write")
    assert calls["geo"] == ("clone", "mmap", "sendmmsg")
    assert calls["mongodb-geo"] == ("clock_gettime", "clone", *files)
    assert calls["memcached-rate"] == ("clone", "mmap", "mprotect")
    assert calls["hotel-load"] is None


@pytest.mark.parametrize(
    ("fault", "target", "reason"),
    [
        ("khaos-gettimeofday-fail", "geo", "calls no gettimeofday as it serves"),
        ("khaos-mmu-page-protection-failure", "search", "calls no mprotect as it serves"),
        ("khaos-getaddrinfo-fail", "mongodb-geo", "calls no sendmmsg as it serves"),
        ("khaos-setns-fail", "memcached-rate", "calls no setns as it serves"),
    ],
)
def test_whoever_does_not_make_a_call_meets_nothing_of_it(
    workspace: Workspace, fault: str, target: str, reason: str
) -> None:
    names = "hotel-reservation", target
    with pytest.raises(UsageError) as caught:
        pair(fault, *names, workspace=workspace)
    told = f"does not fit node 'the node that runs {target}': the program of {target} {reason}; it fits "
    assert told in str(caught.value)


def test_the_whole_refusal(workspace: Workspace) -> None:
    with pytest.raises(UsageError) as caught:
        pair("khaos-getaddrinfo-fail", "flight-ticket", "owdev-couchdb", workspace=workspace)
    assert str(caught.value) == (
        "problem 'khaos-getaddrinfo-fail.flight-ticket.the-node-that-runs-owdev-couchdb': fault "
        "'khaos-getaddrinfo-fail' does not fit node 'the node that runs owdev-couchdb': the program "
        "of owdev-couchdb calls no sendmmsg as it serves; it fits the node that runs "
        "owdev-apigateway, the node that runs owdev-controller, the node that runs owdev-invoker, "
        "the node that runs owdev-nginx"
    )


def test_one_of_several_calls_is_enough(workspace: Workspace) -> None:
    """A storage controller fails `read` and `pread64`; snapshots of Redis are written alone."""
    made = pair("khaos-storage-write-failure", "flight-ticket", "owdev-redis")
    assert made.faults[0].fault == "khaos-storage-write-failure"
    with pytest.raises(UsageError) as caught:
        pair("khaos-storage-controller-read-failure", "flight-ticket", "owdev-redis")
    told = "the program of owdev-redis calls no read and no pread64 as it serves"
    assert told in str(caught.value)
