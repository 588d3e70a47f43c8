"""What users' requests ask of components: as models tell it, and as it is in a world."""

from __future__ import annotations

import pytest
from sregym_core.api import Workspace
from sregym_core.conductor import grading
from sregym_core.errors import UsageError
from sregym_core.model import Component
from sregym_runs import pair, pairs

from sregym_apps import demand


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    return Workspace()


def parts(workspace: Workspace, application: str) -> dict[str, Component]:
    return {one.name: one for one in workspace.application(application).components()}


def test_users_notice_what_confirms_a_fault() -> None:
    assert demand.VISIBLE_DROP == grading.VISIBLE_DROP


def test_who_needs_what(workspace: Workspace) -> None:
    """Callers do without a look-aside cache; a store is needed by who starts, or by who asks it."""
    hotel = parts(workspace, "hotel-reservation")
    told = {name: (part.needed, part.changed) for name, part in hotel.items()}
    assert (told["geo"], told["mongodb-reservation"]) == ((True, False), (True, True))
    assert told["mongodb-user"] == (True, False)  # asked by nobody, but dialed by who starts
    assert told["hotel-load"] == (None, None)
    generated = parts(workspace, "synthetic")
    caches = [part for part in generated.values() if part.kind == "cache"]
    assert {part.needed for part in caches} == {False}
    shop = parts(workspace, "astronomy-shop")
    assert (shop["email"].needed, shop["payment"].needed) == (False, True)


def test_what_requests_take_of_stores_with_warm_and_cold_caches(workspace: Workspace) -> None:
    """3000 requests a second ask the profiles once each, and find 98 of 100 in the cache."""
    hotel = parts(workspace, "blueprint-hotel-reservation")
    warm, cold = hotel["profile-db"].millicores or (0, 0)
    assert (round(warm, 2), round(cold, 1)) == (8.91, 445.5)
    # Its caches are warm from the start: nothing comes without them.
    warm, cold = parts(workspace, "hotel-reservation")["mongodb-rate"].millicores or (0, 0)
    assert (round(warm, 2), round(cold, 2)) == (0.27, 0.27)


def test_nothing_is_told_where_a_way_of_requests_is_not_known(workspace: Workspace) -> None:
    flights = parts(workspace, "flight-ticket")
    assert {(part.needed, part.changed, part.millicores) for part in flights.values()} == {
        (None, None, None)
    }


def test_a_fault_in_what_users_do_without_is_silent(workspace: Workspace) -> None:
    found = [
        pair(fault, "synthetic", name, workspace=workspace).silent
        for fault, name in (
            ("service-missing", "account-core-cache"),
            ("service-missing", "account-core-db"),
            ("claim-shared", "routing-contracts"),  # those that served before go on serving
        )
    ]
    assert found == [True, False, True]


@pytest.mark.parametrize(
    ("fault", "application", "target", "reason"),
    [
        (
            "pressure-disk",
            "hotel-reservation",
            "the node that runs mongodb-geo",
            "hardly any request of users changes what mongodb-geo keeps",
        ),
        (
            "khaos-mmu-page-protection-failure",
            "synthetic",
            "the node that runs account-core-cache",
            "users do without account-core-cache",
        ),
    ],
)
def test_what_is_not_changed_or_not_needed_does_not_fit(
    workspace: Workspace, fault: str, application: str, target: str, reason: str
) -> None:
    with pytest.raises(UsageError) as caught:
        pair(fault, application, target, workspace=workspace)
    assert f"{target.removeprefix('the node that runs ')}" in str(caught.value)
    assert f": {reason}; it fits " in str(caught.value)


def test_what_users_would_hardly_notice_is_not_listed_and_can_be_asked_for(
    workspace: Workspace,
) -> None:
    hotel = parts(workspace, "hotel-reservation")
    fault = workspace.factory.fault("lock-held")
    listed = pairs(["lock-held"], ["hotel-reservation"], workspace=workspace)
    asked = pair("lock-held", "hotel-reservation", "mongodb-user", workspace=workspace)

    assert [str(one.target) for one in listed] == ["mongodb-reservation"]
    assert fault.unnoticed(hotel["mongodb-user"]) == (
        "hardly any request of users changes what it keeps"
    )
    assert fault.unnoticed(hotel["mongodb-reservation"]) == ""
    assert asked.faults[0].target == "mongodb-user"


def test_the_whole_refusal_of_a_disk_that_nobody_changes(workspace: Workspace) -> None:
    with pytest.raises(UsageError) as caught:
        pair(
            "pressure-disk",
            "hotel-reservation",
            "the node that runs mongodb-geo",
            workspace=workspace,
        )
    assert str(caught.value) == (
        "problem 'pressure-disk.hotel-reservation.the-node-that-runs-mongodb-geo': fault 'pressure-disk' "
        "does not fit node 'the node that runs mongodb-geo': hardly any request of users changes what "
        "mongodb-geo keeps; it fits the node that runs mongodb-reservation"
    )


def test_a_store_is_sized_between_what_comes_with_warm_caches_and_with_cold_ones(
    workspace: Workspace,
) -> None:
    fault = workspace.factory.fault("store-sized-for-hits")
    found = {}
    for name in ("blueprint-hotel-reservation", "media-microservices", "synthetic"):
        system = workspace.application(name)
        for part in system.components():
            if part.kind == "datastore" and (told := fault.occasions(system, part)):
                found[part.name] = [*told]
    assert found == {
        "profile-db": ["cold-18m", "cold-27m"],
        "rate-db": ["cold-11m", "cold-17m"],
        "reserv-db": ["cold-16m", "cold-24m"],
    }
