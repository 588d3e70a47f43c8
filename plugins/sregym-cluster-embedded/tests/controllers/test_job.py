"""Jobs on a real world: what they create, count, say, and how they end."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise
from typing import Any

import orjson
import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.request import Request, Response, User
from sregym_cluster_embedded.api.server import handle
from sregym_cluster_embedded.api.validation import jobs
from sregym_cluster_embedded.api.validation.causes import required
from sregym_cluster_embedded.controllers.job_status import indexes_of, indexes_text
from sregym_cluster_embedded.store import Key, Object

ADMIN = User("admin", ("system:masters", "system:authenticated"))
JOB = Key("jobs.batch", "shop", "j")
SLEEP = '[sleep, "2"]'
TRACKING = "batch.kubernetes.io/job-tracking"


def apply(shop: Any, command: str, fields: str = "", restart: str = "Never") -> None:
    shop.apply(
        f"""
apiVersion: batch/v1
kind: Job
metadata: {{name: j}}
spec:
  template:
    spec:
      restartPolicy: {restart}
      containers: [{{name: m, image: "registry.example/library/busybox:1.36", command: {command}}}]
{fields}
"""
    )


def fails(code: int) -> str:
    return f'[sh, -c, "exit {code}"]'


def job(shop: Any) -> Object:
    found: Object = shop.world.store.get(JOB)
    return found


def change(shop: Any, **fields: Any) -> None:
    present = job(shop)
    internal_client.update(
        shop.world, JOB.resource, {**present, "spec": {**present["spec"], **fields}}
    )


def counts(shop: Any) -> dict[str, int]:
    status = job(shop)["status"]
    return {name: status[name] for name in ("active", "succeeded", "failed") if name in status}


def conditions(shop: Any) -> list[tuple[str, str, str, str]]:
    return [
        (entry["type"], entry["status"], entry["reason"], entry["message"])
        for entry in job(shop)["status"].get("conditions", ())
    ]


def ended(reason: str, message: str) -> list[tuple[str, str, str, str]]:
    return [(name, "True", reason, message) for name in ("FailureTarget", "Failed")]


def test_completions_are_reached_by_parallelism(shop: Any) -> None:
    apply(shop, SLEEP, "  completions: 3\n  parallelism: 2")
    shop.run(1)
    assert counts(shop) == {"active": 2}
    shop.run(20)
    reached = ("True", "CompletionsReached", "Reached expected number of succeeded pods")
    assert counts(shop) == {"succeeded": 3}
    assert conditions(shop) == [("SuccessCriteriaMet", *reached), ("Complete", *reached)]
    assert job(shop)["status"]["uncountedTerminatedPods"] == {}
    assert [pod["metadata"].get("finalizers") for pod in shop.pods()] == [None, None, None]
    assert shop.events("Completed") == [("Job completed", 1)]
    names = {f"Created pod: {pod['metadata']['name']}" for pod in shop.pods()}
    assert {message for message, _ in shop.events("SuccessfulCreate")} == names


def test_a_running_pod_is_held_by_the_tracking_finalizer(shop: Any) -> None:
    apply(shop, '[sleep, "100"]')
    shop.run(5)
    assert [pod["metadata"]["finalizers"] for pod in shop.pods()] == [[TRACKING]]
    assert job(shop)["status"]["ready"] == 1


def test_failures_wait_twice_as_long_each_time_until_the_limit(shop: Any) -> None:
    apply(shop, fails(1), "  backoffLimit: 2")
    shop.run(60)
    moments = sorted(
        datetime.fromisoformat(pod["metadata"]["creationTimestamp"]).timestamp()
        for pod in shop.pods()
    )
    waits_s = [later - earlier for earlier, later in pairwise(moments)]
    assert waits_s == [pytest.approx(11, abs=1), pytest.approx(21, abs=1)]
    assert counts(shop) == {"failed": 3}
    message = "Job has reached the specified backoff limit"
    assert conditions(shop) == ended("BackoffLimitExceeded", message)
    assert shop.events("BackoffLimitExceeded") == [(message, 1)]


def test_restarts_in_place_count_towards_the_limit(shop: Any) -> None:
    apply(shop, fails(1), "  backoffLimit: 1", restart="OnFailure")
    shop.run(90)
    assert conditions(shop) == ended(
        "BackoffLimitExceeded", "Job has reached the specified backoff limit"
    )
    assert shop.pods() == []


def test_a_deadline_ends_a_job_and_its_pods(shop: Any) -> None:
    apply(shop, '[sleep, "1000"]', "  activeDeadlineSeconds: 10")
    shop.run(9)
    assert counts(shop) == {"active": 1}
    shop.run(60)
    message = "Job was active longer than specified deadline"
    assert conditions(shop) == ended("DeadlineExceeded", message)
    assert counts(shop) == {"failed": 1}
    assert shop.events("DeadlineExceeded") == [(message, 1)]
    assert shop.pods() == []


def test_an_indexed_job_names_its_pods_and_keeps_one_for_each_index(shop: Any) -> None:
    apply(shop, SLEEP, "  completionMode: Indexed\n  completions: 2\n  parallelism: 2")
    shop.run(1)
    index = "batch.kubernetes.io/job-completion-index"
    seen = [
        (
            pod["metadata"]["name"][:-6],
            pod["spec"]["hostname"],
            pod["metadata"]["labels"][index],
            pod["metadata"]["annotations"][index],
            pod["spec"]["containers"][0]["env"][0]["name"],
        )
        for pod in shop.pods()
    ]
    assert seen == [
        ("j-0", "j-0", "0", "0", "JOB_COMPLETION_INDEX"),
        ("j-1", "j-1", "1", "1", "JOB_COMPLETION_INDEX"),
    ]
    shop.run(15)
    assert job(shop)["status"]["completedIndexes"] == "0,1"
    assert counts(shop) == {"succeeded": 2}


def test_an_index_over_its_own_limit_fails_the_job_when_the_others_are_done(shop: Any) -> None:
    fields = "  completionMode: Indexed\n  completions: 1\n  backoffLimitPerIndex: 0"
    apply(shop, fails(1), fields)
    shop.run(15)
    assert job(shop)["status"]["failedIndexes"] == "0"
    assert conditions(shop) == ended("FailedIndexes", "Job has failed indexes")


def test_a_failure_policy_ends_a_job_at_once(shop: Any) -> None:
    rule = "{action: FailJob, onExitCodes: {containerName: m, operator: In, values: [42]}}"
    apply(shop, fails(42), f"  podFailurePolicy: {{rules: [{rule}]}}")
    shop.run(10)
    name = shop.pods()[0]["metadata"]["name"]
    assert conditions(shop) == ended(
        "PodFailurePolicy",
        f"Container m for pod shop/{name} failed with exit code 42 matching FailJob rule "
        "at index 0",
    )


def test_ignored_failures_are_replaced_and_not_counted(shop: Any) -> None:
    rule = "{action: Ignore, onExitCodes: {operator: NotIn, values: [1]}}"
    apply(shop, fails(3), f"  backoffLimit: 0\n  podFailurePolicy: {{rules: [{rule}]}}")
    shop.run(10)
    assert len(shop.pods()) > 1
    assert "failed" not in counts(shop)
    assert conditions(shop) == []


def test_a_suspended_job_has_no_pods_and_goes_on_when_resumed(shop: Any) -> None:
    apply(shop, '[sleep, "50"]', "  suspend: true")
    shop.run(5)
    assert shop.pods() == []
    assert conditions(shop) == [("Suspended", "True", "JobSuspended", "Job suspended")]
    assert "startTime" not in job(shop)["status"]
    change(shop, suspend=False)
    shop.run(5)
    assert counts(shop) == {"active": 1}
    assert conditions(shop) == [("Suspended", "False", "JobResumed", "Job resumed")]
    change(shop, suspend=True)
    shop.run(40)
    assert shop.pods() == []
    assert counts(shop) == {}
    assert [shop.events(name) for name in ("Suspended", "Resumed")] == [
        [("Job suspended", 2)],
        [("Job resumed", 1)],
    ]


def test_a_finished_job_goes_when_its_time_is_over(shop: Any) -> None:
    apply(shop, '["true"]', "  ttlSecondsAfterFinished: 30")
    shop.run(25)
    assert counts(shop) == {"succeeded": 1}
    shop.run(20)
    assert shop.world.store.get(JOB) is None
    assert shop.pods() == []


def test_the_pods_of_a_deleted_job_are_not_held(shop: Any) -> None:
    apply(shop, '[sleep, "1000"]')
    shop.run(5)
    internal_client.delete(shop.world, JOB)
    shop.run(40)
    assert shop.pods() == []


def test_less_parallelism_deletes_pods_without_counting_them(shop: Any) -> None:
    apply(shop, '[sleep, "100"]', "  completions: 3\n  parallelism: 3")
    shop.run(5)
    change(shop, parallelism=1)
    shop.run(40)
    assert counts(shop) == {"active": 1}
    assert len(shop.events("SuccessfulDelete")) == 2


def test_many_pods_are_created_five_hundred_at_a_time(shop: Any) -> None:
    apply(shop, '[sleep, "1000"]', "  completions: 600\n  parallelism: 600")
    shop.run(0.5)
    assert counts(shop) == {"active": 500}
    shop.run(1)
    assert counts(shop) == {"active": 600}


def test_what_is_no_index_is_left_out() -> None:
    assert indexes_of("x,2,5-,-3,4-y,99998-4000000000") == {2, 5, 99_998, 99_999}


def test_indexes_are_written_as_ranges() -> None:
    assert indexes_text({0, 1, 3, 4, 5, 9}) == "0,1,3-5,9"
    assert indexes_of("0,1,3-5,9") == {0, 1, 3, 4, 5, 9}


def test_a_namespace_goes_with_its_jobs(shop: Any) -> None:
    apply(shop, '[sleep, "1000"]')
    shop.run(5)
    internal_client.delete(shop.world, Key("namespaces", "", "shop"))
    shop.run(60)
    assert shop.world.store.get(Key("namespaces", "", "shop")) is None
    assert shop.pods() == []


def test_a_fork_goes_on_as_its_original_does(shop: Any) -> None:
    apply(shop, fails(1), "  backoffLimit: 2")
    shop.run(5)
    twin = shop.world.fork()
    shop.run(60)
    twin.run_until(shop.world.now)
    assert twin.digest() == shop.world.digest()


def test_an_indexed_job_needs_completions() -> None:
    container = {"name": "m", "image": "web:1", "terminationMessagePolicy": "File"}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    spec = {"completionMode": "Indexed", "parallelism": 2, "template": template}
    missing = required("spec.completions", "when completion mode is Indexed")
    assert missing.message == "Required value: when completion mode is Indexed"
    assert [e for e in jobs.job({"spec": spec}) if "completions" in e.field] == [missing]


def test_a_refused_creation_is_tried_again_after_seconds(shop: Any) -> None:
    metadata = {"name": "none", "namespace": "shop"}
    quota = {"metadata": metadata, "spec": {"hard": {"pods": "0"}}}
    internal_client.create(shop.world, "resourcequotas", quota)
    shop.run(1)
    apply(shop, SLEEP)
    # The names of the pods differ: each refusal is an event of its own.
    tries = []
    for _ in range(18):
        tries.append(len(shop.events("FailedCreate")))
        shop.run(1)
    assert tries == [0, 1, 2, 2, 3, 3, 3, 3, *[4] * 8, 5, 5]


def test_an_indexed_job_grows_as_a_whole(shop: Any) -> None:
    apply(shop, '[sleep, "60"]', "  completions: 2\n  parallelism: 2\n  completionMode: Indexed")
    shop.run(3)
    path = "/apis/batch/v1/namespaces/shop/jobs/j"
    headers = {"content-type": "application/merge-patch+json"}

    def ask(**fields: int) -> Response:
        body = orjson.dumps({"spec": fields})
        answer = handle(shop.world, Request("PATCH", path, (), headers, body, ADMIN))
        assert isinstance(answer, Response)
        return answer

    refused = orjson.loads(ask(completions=3).body)
    assert refused["message"] == (
        'Job.batch "j" is invalid: spec.completions: Invalid value: 3: can only be modified in '
        "tandem with spec.parallelism"
    )
    assert ask(completions=3, parallelism=3).status == 200
    shop.run(3)
    pods = [
        pod["metadata"]["annotations"] for pod in shop.pods() if "annotations" in pod["metadata"]
    ]
    indexes = sorted(entry["batch.kubernetes.io/job-completion-index"] for entry in pods)
    assert indexes == ["0", "1", "2"]
