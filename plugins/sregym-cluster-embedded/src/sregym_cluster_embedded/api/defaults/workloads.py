"""Defaults of what creates pods."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.defaults.fields import each, filled, within
from sregym_cluster_embedded.api.defaults.pod import template
from sregym_cluster_embedded.api.identity_cache import Same

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_DEPLOYMENT = {
    "replicas": 1,
    "strategy": {},
    "revisionHistoryLimit": 10,
    "progressDeadlineSeconds": 600,
    "template": {},
}
_STATEFUL_SET = {
    "podManagementPolicy": "OrderedReady",
    "replicas": 1,
    "revisionHistoryLimit": 10,
    "serviceName": "",
    "template": {},
    "updateStrategy": {},
    "persistentVolumeClaimRetentionPolicy": {},
}
_DAEMON_SET = {"revisionHistoryLimit": 10, "template": {}, "updateStrategy": {}}
_REPLICA_SET = {"replicas": 1, "template": {}}
# The largest number of 32 bits.
_MOST = 2**31 - 1
_JOB = {
    "backoffLimit": 6,
    "completionMode": "NonIndexed",
    "manualSelector": False,
    "parallelism": 1,
    "suspend": False,
}
_CRON_JOB = {
    "concurrencyPolicy": "Allow",
    "failedJobsHistoryLimit": 1,
    "successfulJobsHistoryLimit": 3,
    "suspend": False,
}
TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"


def _with_spec(obj: Object, spec: Object) -> Object:
    return obj if spec is obj.get("spec") else {**obj, "spec": spec}


def pod_template(obj: Object) -> Object:
    """PodTemplate."""
    return within(obj, "template", template)


def replication_controller(obj: Object) -> Object:
    """ReplicationController: selector and labels come from the template."""
    spec = within(filled(obj.get("spec", {}), {"replicas": 1}), "template", template)
    labels = spec.get("template", {}).get("metadata", {}).get("labels")
    if labels:
        spec = filled(spec, {"selector": labels})
        if not obj["metadata"].get("labels"):
            obj = {**obj, "metadata": {**obj["metadata"], "labels": labels}}
    return _with_spec(obj, spec)


def deployment(obj: Object) -> Object:
    """Deployment."""
    return _with_spec(obj, _spec_of_deployment(Same(obj.get("spec", {}))))


@lru_cache(maxsize=256)
def _spec_of_deployment(given: Same[Object]) -> Object:
    spec = filled(given.value, _DEPLOYMENT)
    spec = within(spec, "strategy", _deployment_strategy)
    return within(spec, "template", template)


def replica_set(obj: Object) -> Object:
    """ReplicaSet."""
    spec = filled(obj.get("spec", {}), _REPLICA_SET)
    return _with_spec(obj, within(spec, "template", template))


def stateful_set(obj: Object) -> Object:
    """StatefulSet, with its claim templates."""
    spec = filled(obj.get("spec", {}), _STATEFUL_SET)
    spec = within(spec, "updateStrategy", _stateful_set_strategy)
    spec = within(
        spec,
        "persistentVolumeClaimRetentionPolicy",
        lambda policy: filled(policy, {"whenDeleted": "Retain", "whenScaled": "Retain"}),
    )
    spec = within(spec, "volumeClaimTemplates", each(_claim_template))
    return _with_spec(obj, within(spec, "template", template))


def daemon_set(obj: Object) -> Object:
    """DaemonSet."""
    spec = filled(obj.get("spec", {}), _DAEMON_SET)
    spec = within(spec, "updateStrategy", _daemon_set_strategy)
    spec = within(spec, "template", template)
    return _with_spec(obj, spec)


# Of a condition that a pod failure policy names: whether it holds.
_HOLDS = {"status": "True"}


def job(obj: Object) -> Object:
    """Job."""
    spec = obj.get("spec", {})
    if "completions" not in spec and "parallelism" not in spec:
        spec = {**spec, "completions": 1}
    replacement = "Failed" if "podFailurePolicy" in spec else "TerminatingOrFailed"
    given = {**_JOB, "podReplacementPolicy": replacement}
    if "backoffLimitPerIndex" in spec:
        # Each index has its limit; all together have none.
        given["backoffLimit"] = _MOST
    spec = within(filled(spec, given), "podFailurePolicy", _failure_policy)
    return _with_spec(obj, within(spec, "template", template))


def _failure_policy(policy: Object) -> Object:
    def rule(given: Object) -> Object:
        return within(given, "onPodConditions", each(lambda entry: filled(entry, _HOLDS)))

    return within(policy, "rules", each(rule))


def cron_job(obj: Object) -> Object:
    """CronJob; of its Jobs only the pod template is completed."""
    spec = filled(obj.get("spec", {}), _CRON_JOB)
    return _with_spec(obj, within(spec, "jobTemplate", _job_template))


def new_pod(_world: World, obj: Object) -> Object:
    """The status a pod is born with."""
    return {**obj, "status": {"phase": "Pending"}}


def new_daemon_set(_world: World, obj: Object) -> Object:
    """The annotation that counts the changes of the template, for clients of old."""
    return _with_template_generation(obj, 1)


def changed_daemon_set(old: Object, new: Object) -> Object:
    """`new` with its count of template changes, whatever its author says of it."""
    before = (old["metadata"].get("annotations") or {}).get(TEMPLATE_GENERATION, "0")
    count = int(before) if before.isdecimal() else 0
    changed = old["spec"].get("template") != new["spec"].get("template")
    return _with_template_generation(new, count + changed)


def _with_template_generation(obj: Object, count: int) -> Object:
    metadata = obj["metadata"]
    annotations = {**(metadata.get("annotations") or {}), TEMPLATE_GENERATION: str(count)}
    return {**obj, "metadata": {**metadata, "annotations": annotations}}


def new_job(_world: World, obj: Object) -> Object:
    """Selector and labels that tie a Job to its pods, unless its author manages them."""
    spec = obj["spec"]
    if spec.get("manualSelector") or "template" not in spec:
        return obj
    uid, name = obj["metadata"]["uid"], obj["metadata"]["name"]
    tie = {
        "batch.kubernetes.io/controller-uid": uid,
        "batch.kubernetes.io/job-name": name,
        "controller-uid": uid,
        "job-name": name,
    }
    pods = spec["template"]
    meta = pods.get("metadata", {})
    # What its author wrote there stays, and is refused where it is not the same.
    labelled = {**pods, "metadata": {**meta, "labels": {**tie, **meta.get("labels", {})}}}
    if not obj["metadata"].get("labels"):
        # A Job without labels gets those of its template.
        labels = labelled["metadata"]["labels"]
        obj = {**obj, "metadata": {**obj["metadata"], "labels": labels}}
    selector = spec.get("selector", {})
    matched = {
        "batch.kubernetes.io/controller-uid": uid,
        **selector.get("matchLabels", {}),
    }
    selector = {**selector, "matchLabels": matched}
    return {**obj, "spec": {**spec, "selector": selector, "template": labelled}}


def _job_template(jobs: Object) -> Object:
    jobs = filled(jobs, {"metadata": {}, "spec": {}})
    jobs = within(jobs, "spec", lambda spec: within(spec, "podFailurePolicy", _failure_policy))
    return within(jobs, "spec", lambda spec: within(spec, "template", template))


def _deployment_strategy(strategy: Object) -> Object:
    strategy = filled(strategy, {"type": "RollingUpdate"})
    if strategy["type"] != "RollingUpdate":
        return strategy
    strategy = filled(strategy, {"rollingUpdate": {}})
    return within(
        strategy,
        "rollingUpdate",
        lambda rolling: filled(rolling, {"maxSurge": "25%", "maxUnavailable": "25%"}),
    )


def _stateful_set_strategy(strategy: Object) -> Object:
    strategy = filled(strategy, {"type": "RollingUpdate"})
    if strategy["type"] != "RollingUpdate":
        return strategy
    strategy = filled(strategy, {"rollingUpdate": {}})
    return within(strategy, "rollingUpdate", lambda rolling: filled(rolling, {"partition": 0}))


def _daemon_set_strategy(strategy: Object) -> Object:
    strategy = filled(strategy, {"type": "RollingUpdate"})
    if strategy["type"] != "RollingUpdate":
        return strategy
    strategy = filled(strategy, {"rollingUpdate": {}})
    return within(
        strategy,
        "rollingUpdate",
        lambda rolling: filled(rolling, {"maxSurge": 0, "maxUnavailable": 1}),
    )


def _claim_template(claim: Object) -> Object:
    claim = filled(
        claim,
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {},
            "status": {"phase": "Pending"},
        },
    )
    return within(claim, "spec", lambda spec: filled(spec, {"volumeMode": "Filesystem"}))
