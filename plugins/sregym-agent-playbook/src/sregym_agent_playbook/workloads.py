"""Templates of pods, and what they refer to, held against good practice and what is there."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

from sregym_agents.survey.listed import references, template

from sregym_agent_playbook.observations import Observation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_agents.survey import Listing

ROLLING = ("Deployment", "StatefulSet", "DaemonSet")
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
# A process that does not answer for so long after its start is killed by an impatient probe.
IMPATIENT_S = 12


def workloads(seen: Listing) -> Iterator[Observation]:
    """What is odd in the templates of workloads."""
    programs = {name: _program(workload) for name, workload in seen.owned(*ROLLING)}
    for name, workload in seen.owned(*ROLLING):
        kind, spec = workload["kind"], workload["spec"]
        pod = template(workload).get("spec") or {}
        found: list[str] = [*_of_spec(spec), *_of_pod(pod)]
        others = [other for other, words in programs.items() if words and words == programs[name]]
        if programs[name] and len(others) == 2 and name not in programs[name]:
            found.append(f"starts the program of {next(o for o in others if o != name)}")
        found.extend(_shared_claims(seen, workload))
        for text in found:
            yield Observation("workload", name, kind, text)


def _shared_claims(seen: Listing, workload: Mapping[str, Any]) -> Iterator[str]:
    """Claims of which replicas on several nodes have one."""
    modes = {
        claim["metadata"]["name"]: claim["spec"].get("accessModes") or ()
        for claim in seen.of_kind("PersistentVolumeClaim")
    }
    if workload["spec"].get("replicas", 1) > 1 and workload["kind"] == "Deployment":
        for kind, name in references(workload):
            if kind == "PersistentVolumeClaim" and "ReadWriteOnce" in modes.get(name, ()):
                yield f"replicas share claim {name}, which one node alone can have"


def _program(workload: Mapping[str, Any]) -> str:
    containers = (template(workload).get("spec") or {}).get("containers") or [{}]
    words: list[Any] = containers[0].get("command") or []
    return str(words[0]) if len(words) == 1 else ""


def _of_spec(spec: Mapping[str, Any]) -> Iterator[str]:
    if spec.get("replicas") == 0:
        yield "is scaled to zero: spec.replicas is 0"
    rolling = (spec.get("strategy") or {}).get("rollingUpdate") or {}
    if rolling.get("maxUnavailable") == "100%":
        yield "takes all pods at once: maxUnavailable is 100%"


def _of_pod(pod: Mapping[str, Any]) -> Iterator[str]:
    if pod.get("dnsPolicy") == "None":
        servers = ", ".join((pod.get("dnsConfig") or {}).get("nameservers") or ())
        yield f"asks other name servers: dnsPolicy is None, nameservers {servers}"
    for container in pod.get("containers") or ():
        names = [entry["name"] for entry in container.get("env") or ()]
        for twice in dict.fromkeys(n for n in names if names.count(n) > 1):
            yield f"environment variable {twice} is defined twice"
        for field in ("livenessProbe", "readinessProbe", "startupProbe"):
            if probe := container.get(field):
                yield from _of_probe(field, probe, container)
    ports = [
        (port["containerPort"], container["name"])
        for container in pod.get("containers") or ()
        for port in container.get("ports") or ()
    ]
    for number, owner in ports:
        if any(other == number and name != owner for other, name in ports):
            yield f"two containers listen on port {number}"


def _of_probe(field: str, probe: Mapping[str, Any], container: Mapping[str, Any]) -> Iterator[str]:
    asked = [probe[how].get("port") for how in ("httpGet", "tcpSocket", "grpc") if how in probe]
    ports = container.get("ports") or ()
    for port in asked:
        if ports and not any(port in (one["containerPort"], one.get("name")) for one in ports):
            yield f"{field} asks port {port}, which the container does not declare"
    given_s = probe.get("initialDelaySeconds", 0) + probe.get("periodSeconds", 10) * probe.get(
        "failureThreshold", 3
    )
    if field == "livenessProbe" and "startupProbe" not in container and given_s <= IMPATIENT_S:
        yield f"livenessProbe gives up {given_s} s after the start"


def missing(seen: Listing) -> Iterator[Observation]:
    """Objects that templates refer to and that do not exist."""
    for kind in ("ConfigMap", "Secret", "PersistentVolumeClaim"):
        there = {obj["metadata"]["name"] for obj in seen.of_kind(kind)}
        if not there:  # nothing of it may be listed
            continue
        for name, workload in seen.owned(*ROLLING):
            for wanted, refers in references(workload):
                if wanted == kind and refers not in there:
                    yield Observation(
                        "missing", name, kind, f"{kind} {refers} does not exist", refers
                    )


def drift(seen: Listing) -> Iterator[Observation]:
    """Fields that differ from what was applied last, so were changed by hand."""
    for name, obj in seen.owned(*ROLLING, "Service", "ConfigMap"):
        applied = (obj["metadata"].get("annotations") or {}).get(LAST_APPLIED)
        if not applied:
            continue
        wanted = json.loads(applied)
        for field in ("spec", "data"):
            for path, before, after in _differences(wanted.get(field), obj.get(field), field):
                text = f"{path} was {before} when it was applied and is {after}"
                yield Observation("change", name, obj["kind"], text, obj["metadata"]["name"])


def _differences(wanted: Any, there: Any, path: str) -> Iterator[tuple[str, str, str]]:
    """Where something is not as it was applied; what defaults and controllers add is no difference."""
    if isinstance(wanted, str) and isinstance(there, str) and wanted[:1] == there[:1] == "{":
        with contextlib.suppress(ValueError):
            wanted, there = json.loads(wanted), json.loads(there)
    if isinstance(wanted, dict) and isinstance(there, dict):
        for key, value in wanted.items():
            if key in there:
                yield from _differences(value, there[key], f"{path}.{key}")
            else:
                yield f"{path}.{key}", _short(value), "gone"
    elif isinstance(wanted, list) and isinstance(there, list) and _named(wanted) and _named(there):
        now = {entry["name"]: entry for entry in there}
        for entry in wanted:
            if entry["name"] in now:
                yield from _differences(entry, now[entry["name"]], f"{path}[{entry['name']}]")
            else:
                yield f"{path}[{entry['name']}]", _short(entry), "gone"
        for added in now.keys() - {entry["name"] for entry in wanted}:
            yield f"{path}[{added}]", "not there", _short(now[added])
    elif _amount(wanted) != _amount(there):
        yield path, _short(wanted), _short(there)


def _amount(value: Any) -> Any:
    """What is written, with processors in thousandths: the API writes `1000m` as `1`."""
    text = value if isinstance(value, str) else json.dumps(value)
    if text.removesuffix("m").isdecimal():
        return int(text[:-1]) if text.endswith("m") else int(text) * 1000
    return text


def _named(entries: list[Any]) -> bool:
    return all(isinstance(entry, dict) and "name" in entry for entry in entries)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 120 else f"{text[:120]}..."
