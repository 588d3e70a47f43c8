"""Validation of pods and pod templates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import quantity
from sregym_cluster_embedded.api.validation import (
    amounts,
    causes,
    containers,
    formats,
    meta,
    placement,
    pod_volumes,
    security,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

RESTART_POLICIES = ("Always", "OnFailure", "Never")
_DNS_POLICIES = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_PREEMPTION_POLICIES = ("PreemptLowerPriority", "Never")
_SYSTEMS = ("linux", "windows")
_GRACE_S = 30
_MOST_SECONDS = 2**31 - 1
_MOST_NAME_SERVERS, _MOST_SEARCHED, _MOST_SEARCHED_CHARACTERS = 3, 32, 2048


def pod(obj: Object) -> list[Cause]:
    """All causes in a pod's spec."""
    given = obj.get("spec", {})
    found = spec(given, "spec", own=True, name=obj["metadata"].get("name", ""))
    for field in ("containers", "initContainers"):
        for index, container in enumerate(given.get(field) or ()):
            found += containers.image_spaces(container, f"spec.{field}[{index}]")
    return found


def created(obj: Object) -> list[Cause]:
    """What a pod must not have when it is new."""
    given = obj.get("spec", {})
    found: list[Cause] = []
    if given.get("ephemeralContainers"):
        found.append(causes.forbidden("spec.ephemeralContainers", "cannot be set on create"))
    if given.get("nodeName") and given.get("schedulingGates"):
        text = "cannot be set until all schedulingGates have been cleared"
        found.append(causes.forbidden("spec.nodeName", text))
    return found


def pod_template(obj: Object) -> list[Cause]:
    """PodTemplate."""
    return template(obj.get("template") or {}, "template")


def template(obj: Object, path: str) -> list[Cause]:
    """All causes in a pod template."""
    metadata = obj.get("metadata") or {}
    given = obj.get("spec") or {}
    found = formats.labels(f"{path}.labels", metadata.get("labels") or {})
    found += meta.annotation_keys(f"{path}.annotations", metadata.get("annotations") or {})
    found += spec(given, f"{path}.spec")
    if given.get("ephemeralContainers"):
        text = "ephemeral containers not allowed in pod template"
        found.append(causes.forbidden(f"{path}.spec.ephemeralContainers", text))
    return found


def spec(given: Object, path: str, *, own: bool = False, name: str = "") -> list[Cause]:
    """All causes in a pod spec, in the order in which the server looks.

    Args:
        given: The spec.
        path: Where it stands.
        own: It is that of a pod, not of a template.
        name: That of the pod, where it has one already.
    """
    volumes, found = pod_volumes.pod_volumes(given, f"{path}.volumes", name)
    ordinary = given.get("containers") or ()
    first = given.get("initContainers") or ()
    around = containers.Around(
        frozenset(volumes),
        frozenset(entry.get("name", "") for entry in given.get("resourceClaims") or ()),
        given.get("terminationGracePeriodSeconds", _GRACE_S),
        given.get("restartPolicy", "Always"),
    )
    found += containers.containers(ordinary, f"{path}.containers", around)
    found += containers.init_containers(first, ordinary, f"{path}.initContainers", around)
    added = given.get("ephemeralContainers")
    if added:
        place = f"{path}.ephemeralContainers"
        found += containers.ephemeral_containers(added, (*ordinary, *first), place, around)
    if given.get("resources"):
        found += _resources(given, f"{path}.resources", around)
    if given.get("hostNetwork"):
        found += _on_the_host(ordinary, f"{path}.containers", own)
    restart = given.get("restartPolicy")
    found += causes.one_of(f"{path}.restartPolicy", restart, RESTART_POLICIES)
    found += causes.one_of(f"{path}.dnsPolicy", given.get("dnsPolicy"), _DNS_POLICIES)
    found += formats.labels(f"{path}.nodeSelector", given.get("nodeSelector") or {})
    context = given.get("securityContext")
    if context is not None:
        found += security.of_pod(context, f"{path}.securityContext", given)
    if given.get("affinity"):
        found += placement.affinity(given["affinity"], f"{path}.affinity")
    found += _dns(given, f"{path}.dnsConfig")
    found += _gates(given, path)
    spread = given.get("topologySpreadConstraints")
    if spread:
        found += placement.spreading(spread, f"{path}.topologySpreadConstraints")
    return found + _rest(given, path)


def _rest(given: Object, path: str) -> list[Cause]:
    found: list[Cause] = []
    for field, check in (
        ("serviceAccountName", formats.subdomain),
        ("nodeName", formats.subdomain),
    ):
        if given.get(field):
            found += check(f"{path}.{field}", given[field])
    deadline = given.get("activeDeadlineSeconds")
    found += causes.between(f"{path}.activeDeadlineSeconds", deadline, 1, _MOST_SECONDS)
    for field in ("hostname", "subdomain"):
        if given.get(field):
            found += formats.label(f"{path}.{field}", given[field])
    found += placement.tolerations(given.get("tolerations") or (), f"{path}.tolerations")
    for index, alias in enumerate(given.get("hostAliases") or ()):
        place = f"{path}.hostAliases[{index}]"
        found += formats.address(f"{place}.ip", alias.get("ip", ""))
        for number, host in enumerate(alias.get("hostnames") or ()):
            found += formats.subdomain(f"{place}.hostnames[{number}]", host)
    for field in ("priorityClassName", "runtimeClassName"):
        if given.get(field):
            found += formats.subdomain(f"{path}.{field}", given[field])
    policy = given.get("preemptionPolicy")
    found += causes.one_of(f"{path}.preemptionPolicy", policy, _PREEMPTION_POLICIES)
    system = given.get("os")
    if system is not None:
        kind = system.get("name", "")
        if not kind:
            found.append(causes.required(f"{path}.os.name", "cannot be empty"))
        else:
            found += causes.one_of(f"{path}.os", kind, _SYSTEMS)
    return found


def _resources(given: Object, path: str, around: containers.Around) -> list[Cause]:
    """What a pod asks for as a whole: at least as much as its containers together."""
    own = given["resources"]
    found: list[Cause] = []
    if own.get("claims"):
        text = "claims cannot be set for Resources at pod-level"
        found.append(causes.forbidden(f"{path}.claims", text))
    found += amounts.requirements(own, path, around.claims, amounts.pod_name)
    requests, limits = own.get("requests") or {}, own.get("limits") or {}
    together: dict[str, Any] = {}
    for container in given.get("containers") or ():
        for name, value in ((container.get("resources") or {}).get("requests") or {}).items():
            together[name] = together.get(name, 0) + quantity.parse(value)
    for name, number in sorted(together.items()):
        if name in amounts.POD_LEVEL and number > quantity.parse(requests.get(name, "0")):
            shown = quantity.canonical(requests.get(name, "0"))
            text = "must be greater than or equal to aggregate container requests of "
            text += _shown(number, requests.get(name))
            found.append(causes.invalid(f"{path}.requests[{name}]", shown, text))
    for index, container in enumerate(given.get("containers") or ()):
        for name, value in sorted(((container.get("resources") or {}).get("limits") or {}).items()):
            if name in limits and quantity.parse(value) > quantity.parse(limits[name]):
                field = f"{path}.containers[{index}][{name}].limits"
                text = f"must be less than or equal to pod limits of {limits[name]}"
                found.append(causes.invalid(field, quantity.canonical(value), text))
    return found


def _shown(number: Any, like: Any) -> str:
    """A sum in the form that its parts have."""
    if isinstance(like, str) and like.endswith("i") and quantity.is_whole(number):
        whole = int(number)
        return quantity.canonical(f"{whole // 1024}Ki" if whole % 1024 == 0 else whole)
    return quantity.canonical(f"{number.normalize():f}")


def _on_the_host(given: Any, path: str, own: bool) -> list[Cause]:
    """Ports of containers in the network of their node are its ports."""
    text = "must match `containerPort` when `hostNetwork` is true"
    return [
        causes.invalid(f"{path}[{index}].ports[{number}].hostPort", port.get("hostPort", 0), text)
        for index, container in enumerate(given)
        for number, port in enumerate(container.get("ports") or ())
        if (own or port.get("hostPort")) and port.get("hostPort", 0) != port.get("containerPort")
    ]


def _gates(given: Object, path: str) -> list[Cause]:
    found: list[Cause] = []
    for index, gate in enumerate(given.get("readinessGates") or ()):
        field = f"{path}.readinessGates[{index}].conditionType"
        found += formats.qualified(field, gate.get("conditionType", ""))
    seen: set[str] = set()
    for index, gate in enumerate(given.get("schedulingGates") or ()):
        field, name = f"{path}.schedulingGates[{index}]", gate.get("name", "")
        found += formats.qualified(field, name)
        if name in seen:
            found.append(causes.duplicate(field, name))
        seen.add(name)
    return found


def _dns(given: Object, path: str) -> list[Cause]:
    config = given.get("dnsConfig")
    if given.get("dnsPolicy") == "None":
        if config is None:
            text = "must provide `dnsConfig` when `dnsPolicy` is None"
            return [causes.required(path, text)]
        if not config.get("nameservers"):
            text = "must provide at least one DNS nameserver when `dnsPolicy` is None"
            return [causes.required(f"{path}.nameservers", text)]
    if config is None:
        return []
    servers, searches = config.get("nameservers") or [], config.get("searches") or []
    found: list[Cause] = []
    if len(servers) > _MOST_NAME_SERVERS:
        text = f"must not have more than {_MOST_NAME_SERVERS} nameservers"
        found.append(causes.invalid(f"{path}.nameservers", servers, text))
    for index, server in enumerate(servers):
        found += formats.address(f"{path}.nameservers[{index}]", server)
    if len(searches) > _MOST_SEARCHED:
        text = f"must not have more than {_MOST_SEARCHED} search paths"
        found.append(causes.invalid(f"{path}.searches", searches, text))
    if len(" ".join(searches)) > _MOST_SEARCHED_CHARACTERS:
        text = (
            f"must not have more than {_MOST_SEARCHED_CHARACTERS} characters (including spaces) in "
            "the search list"
        )
        found.append(causes.invalid(f"{path}.searches", searches, text))
    for index, search in enumerate(searches):
        if search != ".":
            field = f"{path}.searches[{index}]"
            found += formats.underscored_subdomain(field, search.removesuffix("."))
    for index, option in enumerate(config.get("options") or ()):
        if not option.get("name"):
            found.append(causes.required(f"{path}.options[{index}]", "must not be empty"))
    return found
