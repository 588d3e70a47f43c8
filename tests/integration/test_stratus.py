"""The agent `stratus` with a scripted model on a living application: what does not help is undone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sregym_agents.testing import Turn, final_message, provider, use
from sregym_core.api import Environment, Workspace
from sregym_core.api import play as play_episode
from sregym_core.settings import Settings

Played = Callable[..., tuple[dict[str, Any], list[dict[str, Any]]]]
PROBLEM = "wrong_service_selector_hotel_reservation"
DIAGNOSIS = (
    "Service frontend in namespace hotel-reservation selects no pod: its selector also asks for the "
    "label current_service_name=frontend, which no pod of the frontend has. The selector does not "
    "match; it should be io.kompose.service=frontend alone. All user requests fail."
)
REPAIR = (
    "kubectl patch service frontend -n hotel-reservation --type=merge "
    '-p \'{"spec": {"selector": {"current_service_name": null}}}\''
)
SCALE = "kubectl scale deployment/recommendation -n hotel-reservation --replicas=0"
DELETE = "kubectl delete service search -n hotel-reservation"
CREATE = "kubectl create configmap notes -n hotel-reservation --from-literal=a=b"
LOOK = "kubectl get service frontend -n hotel-reservation -o yaml"


@pytest.fixture(scope="module")
def workspace() -> Iterator[Workspace]:
    with Workspace(Settings()) as made:
        yield made


@pytest.fixture
def played(workspace: Workspace) -> Played:
    """An episode with these turns of the model; gives the record and what the model was asked."""

    def play(
        *turns: Turn, mode: str = "standard", start_before_s: float | None = None, **options: str
    ) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        with provider(*turns) as server:
            told = {"model": "scripted", "base_url": f"{server.url}/v1", **options}
            record = play_episode(
                PROBLEM,
                "stratus",
                agent_options=told,
                mode=mode,
                start_before_s=start_before_s,
                workspace=workspace,
            )
        return record.model_dump(mode="json"), server.asked

    return play


def commands(record: dict[str, Any]) -> list[str]:
    """What changed something, in order, with undo and hand-in."""
    lines = []
    for call in record["transcript"]:
        if call["tool"] == "kubectl":
            line = call["arguments"]["command"].partition("\n")[0]
            if not line.startswith("kubectl get"):
                lines.append(line)
        elif call["tool"] in ("undo", "submit", "refuse"):
            lines.append(call["tool"])
    return lines


def test_a_wrong_repair_is_undone_and_the_second_passes(played: Played) -> None:
    record, asked = played(
        use("kubectl", "I look at the entrance first.", command=LOOK),
        use("conclude", text=DIAGNOSIS),
        use("kubectl", command=SCALE),
        use("kubectl", command=DELETE),
        use("kubectl", command=CREATE),
        use("conclude", text="I made room."),
        use("kubectl", command=REPAIR),
        use("conclude", text="The selector is repaired."),
    )
    assert (record["outcome"], record["reason"]) == ("pass", "diagnosis and mitigation passed")
    assert record["recovered"]
    assert commands(record) == [
        "submit",
        SCALE,
        DELETE,
        CREATE,
        "kubectl delete configmap notes -n hotel-reservation",
        "kubectl create -f - <<'EOF'",
        "kubectl scale deployment.apps recommendation -n hotel-reservation --replicas=1",
        "undo",
        REPAIR,
        "submit",
    ]
    undo = next(call for call in record["transcript"] if call["tool"] == "undo")
    assert (undo["arguments"], undo["output"], undo["own"]) == ({"steps": 3}, "put back", True)
    assert record["diagnosis"]["text"] == DIAGNOSIS
    assert record["mitigation"]["text"] == "The selector is repaired."
    second = asked[6]["messages"][-1]["content"]
    assert (
        "An attempt did not help and was put back, so try something else:\n"
        f"- {SCALE}  (Deployment hotel-reservation/recommendation was changed)\n"
        f"- {DELETE}  (Service hotel-reservation/search was deleted)\n"
        f"- {CREATE}  (ConfigMap hotel-reservation/notes was created)\n"
        "The system after it, before it was put back:\n"
        "Deployment hotel-reservation/recommendation is not ready\n"
    ) in second


def of_the_cluster(first: str, second: str) -> tuple[str, ...]:
    return (
        f"kubectl cordon {second}",
        f"kubectl taint node {first} team=web:PreferNoSchedule",
        "kubectl create priorityclass urgent --value=1000",
        "kubectl scale deployment/coredns -n kube-system --replicas=0",
        "kubectl delete apiservice v1beta1.metrics.k8s.io",
    )


def test_what_is_changed_in_the_whole_cluster_is_undone(
    played: Played, workspace: Workspace
) -> None:
    with Environment(PROBLEM, workspace=workspace) as env:
        env.reset()
        workers = [one for one in env.cluster.list("v1", "Node") if not one["spec"].get("taints")]
        first, second, *_ = [one["metadata"]["name"] for one in workers]
    done = of_the_cluster(first, second)
    record, asked = played(
        use("conclude", text=DIAGNOSIS),
        *(use("kubectl", command=command) for command in done),
        use("conclude", text="I made room."),
        use("kubectl", command=REPAIR),
        use("conclude", text="The selector is repaired."),
    )
    # What could not be put back is harm that outlives the repair.
    assert (record["outcome"], record["recovered"]) == ("fail", True)
    assert record["reason"].startswith("mitigation: safe-repair: ")
    assert "api-removed: APIService v1beta1.metrics.k8s.io it is gone" in record["reason"]
    assert commands(record) == [
        "submit",
        *done,
        "kubectl create -f - <<'EOF'",
        "kubectl scale deployment.apps coredns -n kube-system --replicas=1",
        "kubectl delete priorityclass.scheduling.k8s.io urgent",
        f'kubectl patch node {first} --type=merge -p \'{{"spec": {{"taints": null}}}}\'',
        f'kubectl patch node {second} --type=merge -p \'{{"spec": {{"unschedulable": null}}}}\'',
        "undo",
        REPAIR,
        "submit",
    ]
    undo = next(call for call in record["transcript"] if call["tool"] == "undo")
    # To register an API server again is not the role's.
    assert (undo["output"], undo["ok"]) == (
        "put back\nThis could not be put back:\n- APIService v1beta1.metrics.k8s.io was deleted",
        False,
    )
    assert "- APIService v1beta1.metrics.k8s.io was deleted" in str(asked[-2]["messages"][-1])


def test_who_diagnoses_changes_nothing(played: Played) -> None:
    record, asked = played(
        use("kubectl", command=DELETE),
        use("conclude", text=DIAGNOSIS),
        mode="diagnosis-only",
    )
    assert (record["outcome"], commands(record)) == ("pass", ["refuse", "submit"])
    assert asked[1]["messages"][-1]["content"] == (
        "you may look but change nothing: only the repair may"
    )


def test_when_all_attempts_fail_nothing_is_left_of_them(played: Played) -> None:
    record, _ = played(
        use("conclude", text=DIAGNOSIS),
        use("kubectl", command=SCALE),
        use("conclude", text="I made room."),
        attempts="1",
    )
    assert record["mitigation"]["text"] == (
        "The repair did not succeed; what was tried is put back."
    )
    checks = {check["name"]: check for check in record["mitigation"]["verdict"]["checks"]}
    assert checks["defect-gone"]["outcome"] == "fail"
    assert checks["workloads-present"]["outcome"] == "pass"


@pytest.mark.parametrize("mode", ["mitigation-only", "one-shot"])
def test_modes(played: Played, mode: str) -> None:
    diagnosed = () if mode == "mitigation-only" else (use("conclude", text=DIAGNOSIS),)
    record, _ = played(
        *diagnosed,
        use("kubectl", command=REPAIR),
        use("conclude", text="The selector is repaired."),
        mode=mode,
    )
    assert (record["outcome"], commands(record)) == ("pass", [REPAIR, "submit"])


def test_it_notices_by_itself(played: Played) -> None:
    record, asked = played(
        final_message("incident: nobody can reach the frontend"),
        final_message("incident: nobody can reach the frontend"),
        final_message("incident: nobody can reach the frontend"),
        use("conclude", text=DIAGNOSIS),
        use("kubectl", command=REPAIR),
        use("conclude", text="The selector is repaired."),
        mode="proactive",
        start_before_s=120.0,
    )
    assert (record["outcome"], record["false_alarms"]) == ("pass", 0)
    assert 0.0 < record["ttd_s"] <= 180.0
    assert "This was noticed:\nalert " in asked[0]["messages"][-1]["content"]
