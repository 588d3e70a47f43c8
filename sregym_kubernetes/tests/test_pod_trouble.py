"""Why a pod is not ready, from the status that kubelets and schedulers write."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_kubernetes.pod_trouble import pod_trouble

OOM = {"reason": "OOMKilled", "exitCode": 137}


def waiting(reason: str, message: str = "", **more: Any) -> dict[str, Any]:
    return {"state": {"waiting": {"reason": reason, "message": message}}, **more}


@pytest.mark.parametrize(
    ("status", "said", "lasting"),
    [
        ({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}, "None", None),
        ({"phase": "Succeeded"}, "None", None),
        ({"phase": "Pending"}, "p: Pending", False),
        (
            {"phase": "Failed", "reason": "Evicted", "message": "low on memory"},
            "p: Failed (Evicted: low on memory)",
            True,
        ),
        (
            {
                "phase": "Pending",
                "conditions": [
                    {
                        "type": "PodScheduled",
                        "status": "False",
                        "reason": "Unschedulable",
                        "message": "0/1 nodes are available",
                    }
                ],
            },
            "p: Unschedulable (0/1 nodes are available)",
            False,
        ),
        (
            {"containerStatuses": [waiting("ImagePullBackOff", "manifest unknown")]},
            "p: ImagePullBackOff (manifest unknown)",
            True,
        ),
        ({"containerStatuses": [waiting("ContainerCreating")]}, "p: ContainerCreating", False),
        (
            {
                "initContainerStatuses": [waiting("CreateContainerConfigError", "no such key")],
                "containerStatuses": [waiting("PodInitializing")],
            },
            "p: CreateContainerConfigError (no such key)",
            True,
        ),
        (
            {
                "containerStatuses": [
                    waiting(
                        "CrashLoopBackOff",
                        "back-off",
                        restartCount=4,
                        lastState={"terminated": OOM},
                    )
                ]
            },
            "p: CrashLoopBackOff (4 restarts, OOMKilled, exit code 137)",
            True,
        ),
        (
            {"containerStatuses": [{"state": {"terminated": {"reason": "Error", "exitCode": 2}}}]},
            "p: Error (exit code 2)",
            False,
        ),
        (
            {"phase": "Running", "containerStatuses": [{"state": {"running": {}}, "ready": False}]},
            "p: NotReady",
            False,
        ),
        (
            {
                "phase": "Running",
                "containerStatuses": [
                    {
                        "state": {"running": {}},
                        "ready": False,
                        "restartCount": 2,
                        "lastState": {"terminated": {"exitCode": 1, "message": "no\n store"}},
                    }
                ],
            },
            "p: CrashLoopBackOff (2 restarts, exit code 1, no store)",
            True,
        ),
    ],
)
def test_why_a_pod_is_not_ready(status: dict[str, Any], said: str, lasting: bool | None) -> None:
    found = pod_trouble({"metadata": {"name": "p"}, "status": status})
    assert (str(found), None if found is None else found.lasting) == (said, lasting)


def test_a_pod_that_goes_is_no_trouble_of_its_containers() -> None:
    metadata = {"name": "p", "deletionTimestamp": "2026-01-01T00:00:00Z"}
    status = {"containerStatuses": [waiting("ErrImagePull")]}
    assert str(pod_trouble({"metadata": metadata, "status": status})) == "p: Terminating"
