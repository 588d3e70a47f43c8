"""`kubectl create` of roles, bindings, accounts, quotas, budgets, jobs and priorities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.create import create_object, head, one_name
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.flags import DRY_RUN, IGNORED, OUTPUT, Flag, switch

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
JOB_FLAGS = (*_COMMON, Flag("image"))
CRON_JOB_FLAGS = (*_COMMON, Flag("image"), Flag("schedule"), Flag("restart"))
PRIORITY_FLAGS = (
    *_COMMON, Flag("value"), Flag("description"), switch("global-default"),
    Flag("preemption-policy"),
)  # fmt: skip

_RBAC = "rbac.authorization.k8s.io"
_VERBS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "*")


def create_service_account(session: Session) -> None:
    """Run `kubectl create serviceaccount`."""
    obj = head(session, "v1", "ServiceAccount")
    create_object(session, "serviceaccounts", obj, "serviceaccount")


def create_role(session: Session) -> None:
    """Run `kubectl create role`."""
    obj = head(session, f"{_RBAC}/v1", "Role") | {"rules": _rules(session)}
    create_object(session, f"roles.{_RBAC}", obj, None)


def create_cluster_role(session: Session) -> None:
    """Run `kubectl create clusterrole` of resources."""
    obj = _cluster_head(session, f"{_RBAC}/v1", "ClusterRole") | {"rules": _rules(session)}
    create_object(session, f"clusterroles.{_RBAC}", obj, None)


def _rules(session: Session) -> list[Object]:
    """One rule for each group of the resources."""
    arguments = session.arguments
    verbs = list(dict.fromkeys(arguments.all("verb")))
    if not verbs or not arguments.all("resource") or not set(verbs) <= set(_VERBS):
        raise NotCovered("a role without usual verbs and resources")
    groups: dict[str, list[str]] = {}
    for word in dict.fromkeys(arguments.all("resource")):
        plural, slash, rest = word.partition("/")
        found = session.client.discovery().find(plural)
        if found is None:
            raise NotCovered(f"the resource {word}")
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
    obj = _cluster_head(session, f"{_RBAC}/v1", "ClusterRoleBinding") | _binding(session)
    create_object(session, f"clusterrolebindings.{_RBAC}", obj, "clusterrolebinding")


def _binding(session: Session) -> Object:
    arguments = session.arguments
    role, cluster_role = arguments.text("role"), arguments.text("clusterrole")
    if bool(role) == bool(cluster_role):
        raise NotCovered("a binding without exactly one role")
    subjects: list[Object] = [
        {"apiGroup": _RBAC, "kind": kind, "name": name}
        for kind, flag in (("User", "user"), ("Group", "group"))
        for name in dict.fromkeys(arguments.all(flag))
    ]
    for account in dict.fromkeys(arguments.all("serviceaccount")):
        namespace, colon, name = account.partition(":")
        if not colon or not namespace or not name or ":" in name:
            raise NotCovered(f"--serviceaccount={account}")
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
    create_object(session, "poddisruptionbudgets.policy", obj, None)


def create_job(session: Session) -> None:
    """Run `kubectl create job --image`."""
    obj = head(session, "batch/v1", "Job")
    obj |= {"spec": _job(session, "Never"), "status": {}}
    create_object(session, "jobs.batch", obj, "job")


def create_cron_job(session: Session) -> None:
    """Run `kubectl create cronjob`."""
    arguments = session.arguments
    if not arguments.text("schedule"):
        raise NotCovered("a CronJob without a schedule")
    obj = head(session, "batch/v1", "CronJob")
    name = obj["metadata"]["name"]
    job = _job(session, arguments.text("restart") or "OnFailure")
    template = {"metadata": {"name": name}, "spec": job}
    obj |= {"spec": {"jobTemplate": template, "schedule": arguments.text("schedule")}, "status": {}}
    create_object(session, "cronjobs.batch", obj, "cronjob")


def _job(session: Session, restart: str) -> Object:
    arguments = session.arguments
    if not arguments.text("image"):
        raise NotCovered("a Job without an image")
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
    create_object(session, "priorityclasses.scheduling.k8s.io", obj, None)


def _cluster_head(session: Session, api_version: str, kind: str) -> Object:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": one_name(session)}}
