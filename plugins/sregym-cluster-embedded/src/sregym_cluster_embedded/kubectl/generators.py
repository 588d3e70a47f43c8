"""`kubectl create` of roles, bindings, accounts, quotas, budgets, jobs and priorities."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.create import create_object, head, one_name
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.flags import DRY_RUN, IGNORED, OUTPUT, Flag, switch
from sregym_cluster_embedded.kubectl.printing import dry_run

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubectl.session import Session
    from sregym_cluster_embedded.store import Object

_COMMON = (*OUTPUT, *DRY_RUN, *IGNORED)
ACCOUNT_FLAGS = _COMMON
ROLE_FLAGS = (
    *_COMMON, Flag("verb", kind="list"), Flag("resource", kind="list"),
    Flag("resource-name", kind="repeated"),
)  # fmt: skip
BINDING_FLAGS = (
    *_COMMON, Flag("role"), Flag("clusterrole"), Flag("user", kind="repeated"),
    Flag("group", kind="repeated"), Flag("serviceaccount", kind="repeated"),
)  # fmt: skip
QUOTA_FLAGS = (*_COMMON, Flag("hard"))
BUDGET_FLAGS = (*_COMMON, Flag("selector"), Flag("min-available"), Flag("max-unavailable"))
JOB_FLAGS = (*_COMMON, Flag("image"), Flag("from"))
CRON_JOB_FLAGS = (*_COMMON, Flag("image"), Flag("schedule"), Flag("restart"))
PRIORITY_FLAGS = (
    *_COMMON, Flag("value"), Flag("description"), switch("global-default"),
    Flag("preemption-policy"),
)  # fmt: skip

_RBAC = "rbac.authorization.k8s.io"
_SPECIAL = ("use", "bind", "escalate", "impersonate")
_VERBS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "*")


def create_service_account(session: Session) -> None:
    """Run `kubectl create serviceaccount`."""
    obj = head(session, "v1", "ServiceAccount")
    create_object(session, "serviceaccounts", obj, "serviceaccount")


def create_role(session: Session) -> None:
    """Run `kubectl create role`."""
    obj = head(session, f"{_RBAC}/v1", "Role") | {"rules": _rules(session)}
    create_object(session, f"roles.{_RBAC}", obj, "")


def create_cluster_role(session: Session) -> None:
    """Run `kubectl create clusterrole` of resources."""
    obj = _cluster_head(session, f"{_RBAC}/v1", "ClusterRole") | {"rules": _rules(session)}
    create_object(session, f"clusterroles.{_RBAC}", obj, "")


def _rules(session: Session) -> list[Object]:
    """One rule for each group of the resources."""
    arguments = session.arguments
    verbs = list(dict.fromkeys(filter(None, arguments.all("verb"))))
    if not verbs:
        raise CommandError("error: at least one verb must be specified")
    if not arguments.all("resource"):
        raise CommandError("error: at least one resource must be specified")
    if set(verbs) & set(_SPECIAL):
        raise NotCovered("a special verb")
    for verb in verbs:
        if verb not in _VERBS:
            session.warn(f"'{verb}' is not a standard resource verb")
    groups: dict[str, list[str]] = {}
    for word in dict.fromkeys(arguments.all("resource")):
        plural, slash, rest = word.partition("/")
        found = session.client.discovery().find(plural)
        if found is None:
            name, dot, group = plural.partition(".")
            where = f' in group "{group}"' if dot else ""
            raise CommandError(f'the server doesn\'t have a resource type "{name}"{where}')
        groups.setdefault(found.group, []).append(found.plural + slash + rest)
    names = list(dict.fromkeys(arguments.all("resource-name")))
    if names and sum(map(len, groups.values())) > 1:
        raise NotCovered("names of several resources")
    return [
        {
            "apiGroups": [group],
            "resources": groups[group],
            "verbs": ["*"] if "*" in verbs else verbs,
        }
        | ({"resourceNames": names} if names else {})
        for group in sorted(groups)
    ]


def create_role_binding(session: Session) -> None:
    """Run `kubectl create rolebinding`."""
    obj = head(session, f"{_RBAC}/v1", "RoleBinding") | _binding(session)
    create_object(session, f"rolebindings.{_RBAC}", obj, "rolebinding")


def create_cluster_role_binding(session: Session) -> None:
    """Run `kubectl create clusterrolebinding`."""
    if session.arguments.has("role"):
        raise NotCovered("a ClusterRoleBinding of a Role")
    if not session.arguments.has("clusterrole"):
        raise CommandError('error: required flag(s) "clusterrole" not set')
    obj = _cluster_head(session, f"{_RBAC}/v1", "ClusterRoleBinding") | _binding(session)
    create_object(session, f"clusterrolebindings.{_RBAC}", obj, "clusterrolebinding")


def _binding(session: Session) -> Object:
    arguments = session.arguments
    role, cluster_role = arguments.text("role"), arguments.text("clusterrole")
    if bool(role) == bool(cluster_role):
        raise CommandError("error: exactly one of clusterrole or role must be specified")
    subjects: list[Object] = [
        {"apiGroup": _RBAC, "kind": kind, "name": name}
        for kind, flag in (("User", "user"), ("Group", "group"))
        for name in dict.fromkeys(arguments.all(flag))
    ]
    for account in dict.fromkeys(arguments.all("serviceaccount")):
        namespace, colon, name = account.partition(":")
        if not colon or not namespace or not name or ":" in name:
            raise CommandError("error: serviceaccount must be <namespace>:<name>")
        subjects.append({"kind": "ServiceAccount", "name": name, "namespace": namespace})
    kind = "ClusterRole" if cluster_role else "Role"
    reference = {"apiGroup": _RBAC, "kind": kind, "name": cluster_role or role}
    return {"roleRef": reference} | ({"subjects": subjects} if subjects else {})


def create_quota(session: Session) -> None:
    """Run `kubectl create quota`."""
    obj = head(session, "v1", "ResourceQuota")
    hard = {}
    for pair in filter(None, session.arguments.text("hard").split(",")):
        name, equals, value = pair.partition("=")
        if not equals or not value.isdecimal():
            raise NotCovered(f"--hard={pair}")
        hard[name] = value
    obj |= {"spec": {"hard": hard} if hard else {}, "status": {}}
    create_object(session, "resourcequotas", obj, "quota")


def create_budget(session: Session) -> None:
    """Run `kubectl create poddisruptionbudget`."""
    arguments = session.arguments
    least, most = arguments.text("min-available"), arguments.text("max-unavailable")
    selector = arguments.text("selector")
    if not selector:
        raise CommandError("error: a selector must be specified")
    if not least and not most:
        raise CommandError("error: one of min-available or max-unavailable must be specified")
    if least and most:
        text = "error: min-available and max-unavailable cannot be both specified"
        raise CommandError(text)
    for name in ("min-available", "max-unavailable"):
        if arguments.text(name) and not re.fullmatch(r"[0-9]+%?", arguments.text(name)):
            raise CommandError(f"error: invalid format specified for {name}")
    labels = dict(pair.partition("=")[::2] for pair in selector.split(","))
    if not all(labels) or any(char in selector for char in "!() "):
        raise NotCovered(f"--selector={selector}")
    number = least or most
    value: int | str = int(number) if number.isdecimal() else number
    obj = head(session, "policy/v1", "PodDisruptionBudget")
    spec = {"minAvailable" if least else "maxUnavailable": value}
    counts = ("currentHealthy", "desiredHealthy", "disruptionsAllowed", "expectedPods")
    obj |= {
        "spec": {**spec, "selector": {"matchLabels": labels}},
        "status": dict.fromkeys(counts, 0),
    }
    create_object(session, "poddisruptionbudgets.policy", obj, "poddisruptionbudgets")


def create_job(session: Session) -> None:
    """Run `kubectl create job --image`."""
    obj = head(session, "batch/v1", "Job")
    if session.arguments.has("from"):
        _from_cron_job(session, obj)
    else:
        obj |= {"spec": _job(session, "Never"), "status": {}}
    create_object(session, "jobs.batch", obj, "job")


def _from_cron_job(session: Session, obj: Object) -> None:
    """Make a Job what its CronJob would make now."""
    arguments = session.arguments
    word, slash, name = arguments.text("from").partition("/")
    if not slash or arguments.has("image") or arguments.after_dash:
        raise NotCovered(f"--from={arguments.text('from')}")
    if "/" in name:
        text = "arguments in resource/name form may not have more than one slash"
        raise CommandError(f"error: {text}")
    kind = session.client.resource_type(word)
    source = session.client.get(kind, session.namespace, name)
    if kind.kind != "CronJob" or dry_run(arguments) == "client":
        raise NotCovered("a Job from what is no CronJob")
    template = source["spec"]["jobTemplate"]
    metadata = template.get("metadata") or {}
    stated = metadata.get("annotations") or {}
    obj["metadata"]["annotations"] = {"cronjob.kubernetes.io/instantiate": "manual", **stated}
    if metadata.get("labels"):
        obj["metadata"]["labels"] = metadata["labels"]
    owner: Object = {"apiVersion": "batch/v1", "kind": "CronJob", "name": name}
    owner |= {"uid": source["metadata"]["uid"], "controller": True}
    obj["metadata"]["ownerReferences"] = [owner]
    obj |= {"spec": template["spec"], "status": {}}


def create_cron_job(session: Session) -> None:
    """Run `kubectl create cronjob`."""
    arguments = session.arguments
    missing = [f'"{name}"' for name in ("image", "schedule") if not arguments.has(name)]
    if missing:
        raise CommandError(f"error: required flag(s) {', '.join(missing)} not set")
    obj = head(session, "batch/v1", "CronJob")
    name = obj["metadata"]["name"]
    job = _job(session, arguments.text("restart") or "OnFailure")
    template = {"metadata": {"name": name}, "spec": job}
    obj |= {"spec": {"jobTemplate": template, "schedule": arguments.text("schedule")}, "status": {}}
    create_object(session, "cronjobs.batch", obj, "cronjob")


def _job(session: Session, restart: str) -> Object:
    arguments = session.arguments
    if not arguments.text("image"):
        raise CommandError("error: either --image or --from must be specified")
    name, command = one_name(session), arguments.after_dash
    container: Object = {"image": arguments.text("image"), "name": name, "resources": {}}
    if command:
        container["command"] = list(command)
    pod: Object = {"containers": [container], "restartPolicy": restart}
    return {"template": {"metadata": {}, "spec": pod}}


def create_priority_class(session: Session) -> None:
    """Run `kubectl create priorityclass`."""
    arguments = session.arguments
    obj: Object = _cluster_head(session, "scheduling.k8s.io/v1", "PriorityClass")
    obj["value"] = arguments.number("value", 0)
    obj["preemptionPolicy"] = arguments.text("preemption-policy", "PreemptLowerPriority")
    if arguments.text("description"):
        obj["description"] = arguments.text("description")
    if arguments.on("global-default"):
        obj["globalDefault"] = True
    create_object(session, "priorityclasses.scheduling.k8s.io", obj, "priorityclass")


def _cluster_head(session: Session, api_version: str, kind: str) -> Object:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": one_name(session)}}
