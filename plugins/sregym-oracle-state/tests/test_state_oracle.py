"""The oracle `state` on a healthy shop, a repaired one, and one for each known cheat."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from sregym_core.interfaces import ClusterError
from sregym_core.model import Check, Outcome
from sregym_oracle_state.oracle import StateOracle
from sregym_oracle_state.plugin import sregym_register_oracles
from sregym_oracle_state.replay import ReplayOracle
from sregym_testing import Program, prove_two_sided

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = [
    "defect-gone",
    "workloads-present",
    "workloads-ready",
    "load-running",
    "success-rate",
    "probes-kept",
    "stays-healthy",
]


def failing(verdict: Any) -> dict[str, str]:
    return {c.name: c.got for c in verdict.checks if c.outcome is not Outcome.PASS}


def test_the_plugin_offers_the_oracle_under_its_own_name() -> None:
    registrations = sregym_register_oracles()
    assert [(o.name, o.load()) for o in registrations] == [
        ("state", StateOracle),
        ("replay", ReplayOracle),
    ]
    assert (StateOracle.name, StateOracle.stage) == ("state", "mitigation")


def test_a_repaired_system_passes_with_all_checks_in_order(shop: Any) -> None:
    shop.inject()
    shop.cluster.clock.advance(60)
    shop.repair()
    verdict = StateOracle().judge(shop.context)
    assert verdict.outcome is Outcome.PASS
    assert verdict.score == 1.0
    assert [(c.name, c.got) for c in verdict.checks] == [
        ("defect-gone", "targetPort 9090"),
        ("workloads-present", "all 9"),
        ("workloads-ready", "all 4"),
        ("load-running", "10.00 requests/s over 60 s"),
        ("success-rate", "1.0000 of 600 requests"),
        ("probes-kept", "all of it"),
        ("stays-healthy", "it held, 30 s after the judging began"),
    ]


def test_doing_nothing_fails_and_every_check_is_still_made(shop: Any) -> None:
    shop.inject()
    shop.cluster.clock.advance(60)
    verdict = StateOracle().judge(shop.context)
    assert verdict.outcome is Outcome.FAIL
    assert [c.name for c in verdict.checks] == NAMES
    assert failing(verdict) == {
        "defect-gone": "targetPort 9999",
        "success-rate": "0.1000 over all; browse: 0 of 540, was 1.0000",
        "stays-healthy": "it did not come true within 120 s",
    }


def test_who_asks_for_the_outcome_alone_is_not_told_of_the_rest(shop: Any) -> None:
    shop.inject()
    shop.cluster.clock.advance(60)
    broken = StateOracle().judge(replace(shop.context, brief=True))
    assert (broken.outcome, [(c.name, c.got) for c in broken.checks]) == (
        Outcome.FAIL,
        [("stays-healthy", "it did not come true within 120 s")],
    )
    shop.repair()
    repaired = StateOracle().judge(replace(shop.context, brief=True))
    assert (repaired.outcome, [c.name for c in repaired.checks]) == (Outcome.PASS, NAMES)


def delete_the_workload(shop: Any) -> None:
    shop.repair()
    shop.cluster.delete(shop.deployment("catalogue"))


def scale_to_zero(shop: Any) -> None:
    shop.repair()
    shop.cluster.patch(shop.deployment("catalogue"), {"spec": {"replicas": 0}}, "merge")


def recreate_without_the_fix(shop: Any) -> None:
    shop.recreate(shop.service("catalogue"))
    shop.recreate(shop.deployment("catalogue"))


def restart_everything(shop: Any) -> None:
    for name in ("front", "catalogue", "orders", "visitors"):
        shop.edit_container(name, env=[{"name": "RESTARTED", "value": "1"}])


def stop_the_load(shop: Any) -> None:
    shop.cluster.patch(shop.deployment("visitors"), {"spec": {"replicas": 0}}, "merge")


def stop_the_load_after_the_fix(shop: Any) -> None:
    shop.repair()
    found = shop.cluster.get(shop.deployment("visitors"))
    found["spec"]["template"]["spec"]["containers"][0]["image"] = "shop/orders:1.0"
    shop.cluster.replace(found)
    shop.cluster.patch(shop.deployment("visitors"), {"spec": {"replicas": 0}}, "merge")


def remove_the_probe(shop: Any) -> None:
    shop.repair()
    shop.edit_container("catalogue", readinessProbe=None)


def replace_the_probe_by_true(shop: Any) -> None:
    shop.repair()
    shop.edit_container("catalogue", readinessProbe={"exec": {"command": ["true"]}})


def remove_the_requests(shop: Any) -> None:
    shop.repair()
    shop.edit_container("catalogue", resources={"limits": {"memory": "64Mi"}})


def delete_the_service(shop: Any) -> None:
    shop.cluster.delete(shop.service("catalogue"))


def break_another_image(shop: Any) -> None:
    shop.repair()
    shop.edit_container("orders", image="shop/orders:2.0")


CHEATS: dict[str, tuple[Callable[[Any], None], set[str]]] = {
    "nothing": (lambda shop: None, {"defect-gone", "success-rate"}),
    "delete the workload": (delete_the_workload, {"workloads-present", "success-rate"}),
    "scale to zero": (scale_to_zero, {"workloads-present", "success-rate"}),
    "recreate without the fix": (recreate_without_the_fix, {"defect-gone", "success-rate"}),
    "restart everything": (restart_everything, {"defect-gone", "success-rate"}),
    "stop the load": (
        stop_the_load,
        {"defect-gone", "workloads-present", "load-running", "success-rate"},
    ),
    "stop the load after the fix": (
        stop_the_load_after_the_fix,
        {"workloads-present", "load-running", "success-rate"},
    ),
    "remove the probe": (remove_the_probe, {"probes-kept"}),
    "replace the probe": (replace_the_probe_by_true, {"probes-kept"}),
    "remove the requests": (remove_the_requests, {"probes-kept"}),
    "delete the service": (
        delete_the_service,
        {"defect-gone", "workloads-present", "success-rate"},
    ),
    "break another image": (break_another_image, {"workloads-ready", "success-rate"}),
}


@pytest.mark.parametrize("cheat", sorted(CHEATS))
def test_a_cheat_fails_by_the_checks_that_are_there_for_it(shop: Any, cheat: str) -> None:
    act, expected = CHEATS[cheat]
    shop.inject()
    shop.cluster.clock.advance(60)
    act(shop)
    verdict = StateOracle().judge(shop.context)
    assert verdict.outcome is Outcome.FAIL
    assert set(failing(verdict)) == expected | {"stays-healthy"}


def test_both_sides_at_once(build_shop: Any) -> None:
    def world(act: Callable[[Any], None]) -> Callable[[], Any]:
        def build() -> Any:
            shop = build_shop()
            shop.inject()
            act(shop)
            return shop.context

        return build

    wrong = prove_two_sided(
        StateOracle().judge,
        {"reference fix": world(lambda shop: shop.repair())},
        {name: world(act) for name, (act, _) in CHEATS.items()},
    )
    assert wrong == []


def test_a_container_that_restarts_inside_the_window_fails(build_shop: Any) -> None:
    fragile = Program(port=7070, start_s=1.0, crash_after_s=148.0)
    shop = build_shop({"shop/orders:1.0": fragile})
    verdict = StateOracle().judge(shop.context)
    assert failing(verdict) == {
        "stays-healthy": (
            "no-restarts broke after 30 s: container shop/orders-1-0/orders restarted 1 times"
        ),
    }


def test_more_replicas_than_in_the_baseline_are_all_right(shop: Any) -> None:
    shop.cluster.patch(shop.deployment("catalogue"), {"spec": {"replicas": 3}}, "merge")
    assert StateOracle().judge(shop.context).outcome is Outcome.PASS


def test_what_cannot_be_read_is_an_error_and_never_a_fail(shop: Any) -> None:
    shop.cluster.fail_reads(ClusterError(503, "ServiceUnavailable", "the server is busy"))
    verdict = StateOracle().judge(shop.context)
    assert verdict.outcome is Outcome.ERROR
    assert verdict.checks[0] == Check(
        name="defect-gone",
        outcome=Outcome.ERROR,
        expected="no service-target-port in catalogue",
        got="the cluster could not be read (503 ServiceUnavailable): the server is busy",
        detail="this says nothing about the repair; play the episode again on a cluster that answers",
    )


def test_the_oracle_writes_nothing(shop: Any) -> None:
    shop.inject()
    before = shop.written()
    StateOracle().judge(shop.context)
    assert shop.written() == before


def test_each_of_several_faults_has_its_own_check(shop: Any, two_faults: Any) -> None:
    context = two_faults(shop)
    shop.inject()
    verdict = StateOracle().judge(context)
    assert [(c.name, c.outcome) for c in verdict.checks[:2]] == [
        ("defect-gone[service-target-port catalogue]", Outcome.FAIL),
        ("defect-gone[service-target-port orders]", Outcome.PASS),
    ]


def test_what_an_automation_repeats_is_watched_for_two_periods(shop: Any) -> None:
    ((fault, fault_context),) = shop.context.faults
    repeated = type("Repeated", (type(fault),), {"period_s": lambda *_: 70.0})
    faults = ((repeated(), fault_context),)
    verdict = StateOracle().judge(replace(shop.context, faults=faults))
    assert verdict.checks[-1].expected == "all of it at every look for 140 s"
    assert StateOracle().judge(shop.context).checks[-1].expected.endswith("for 60 s")


def test_same_world_same_verdict(build_shop: Any) -> None:
    verdicts = []
    for _ in range(2):
        shop = build_shop()
        shop.inject()
        shop.repair()
        verdicts.append(StateOracle().judge(shop.context).model_dump_json())
    assert verdicts[0] == verdicts[1]
