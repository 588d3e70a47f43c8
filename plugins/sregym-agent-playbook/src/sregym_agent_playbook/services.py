"""Services held against the pods to which they should lead, and against those who ask them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from sregym_agents.survey.listed import pod_labels, template

from sregym_agent_playbook.observations import Observation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_agents.survey import Listing

WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet")
# `host:port` as addresses in environments and configuration have it.
_ADDRESS = re.compile(r"\b([a-z][a-z0-9-]*)(?:\.[a-z0-9.-]+)?:(\d{2,5})\b")


def services(seen: Listing) -> Iterator[Observation]:
    """Selectors, ports and policies of Services that lead nowhere or elsewhere."""
    workloads = dict(seen.owned(*WORKLOADS))
    for owner, service in seen.owned("Service"):
        spec, name = service["spec"], service["metadata"]["name"]
        selector = spec.get("selector") or {}
        if not selector:
            continue
        chosen = {n: w for n, w in workloads.items() if selector.items() <= pod_labels(w).items()}

        def said(text: str, owner: str = owner, name: str = name) -> Observation:
            return Observation("service", owner, "Service", f"Service {name} {text}", name)

        if not chosen:
            yield said(f"selects no pods: {_written(selector)}")
        elif owner in chosen and len(chosen) > 1:
            yield said(f"also selects pods of {', '.join(sorted({*chosen} - {owner}))}")
        # A DaemonSet has a pod on every node: its clients are meant to stay on theirs.
        everywhere = any(workload["kind"] == "DaemonSet" for workload in chosen.values())
        if spec.get("internalTrafficPolicy") == "Local" and not everywhere:
            yield said("serves clients of the same node alone: internalTrafficPolicy Local")
        for port in spec.get("ports") or ():
            for workload in chosen.values():
                target = port.get("targetPort", port["port"])
                if not _is_served(workload, target):
                    yield said(f"forwards to port {target}, which its pods do not have")


def _written(labels: Mapping[str, str]) -> str:
    return ",".join(f"{key}={value}" for key, value in labels.items())


def _is_served(workload: Any, target: int | str) -> bool:
    containers = (template(workload).get("spec") or {}).get("containers") or ()
    ports = [port for container in containers for port in container.get("ports") or ()]
    return not ports or any(target in (p["containerPort"], p.get("name")) for p in ports)


def addresses(seen: Listing) -> Iterator[Observation]:
    """Addresses in environments and configuration that no Service has."""
    services = {one["metadata"]["name"]: one for one in seen.of_kind("Service")}
    told = set()
    for asker, place, text in _texts(seen):
        for host, number in _ADDRESS.findall(text):
            if host in services:
                ports = [port["port"] for port in services[host]["spec"].get("ports") or ()]
                if int(number) not in ports and services[host]["spec"].get("ports"):
                    what = f"{place} asks {host} at port {number}, where its Service has {ports}"
                    yield Observation("address", asker, "Deployment", what)
            elif host in seen.components and host != asker and host not in told:
                told.add(host)
                what = f"there is no Service {host}, which {place} of {asker} names"
                yield Observation("address", host, "Service", what, host)


def names_without_service(seen: Listing) -> Iterator[Observation]:
    """Components that the configuration of others names, with ports and without a Service."""
    services = {one["metadata"]["name"] for one in seen.of_kind("Service")}
    texts = [(asker, text) for asker, _, text in _texts(seen)]
    for name, workload in seen.owned("Deployment", "StatefulSet"):
        spec = template(workload).get("spec") or {}
        ports = any(one.get("ports") for one in spec.get("containers") or ())
        if name in services or not ports:
            continue
        word = re.compile(rf'(?<![\w-])"?{re.escape(name)}"?(?![\w-])')
        if any(asker != name and word.search(text) for asker, text in texts):
            what = f"there is no Service {name}, which the configuration of others names"
            yield Observation("address", name, "Service", what, name)


def _texts(seen: Listing) -> Iterator[tuple[str, str, str]]:
    """Everything that tells components where others are: who reads it, where it stands, the text."""
    for name, workload in seen.owned(*WORKLOADS):
        for container in (template(workload).get("spec") or {}).get("containers") or ():
            for entry in container.get("env") or ():
                yield name, f"variable {entry['name']}", str(entry.get("value", ""))
            words = [*(container.get("command") or ()), *(container.get("args") or ())]
            yield name, "the command line", " ".join(map(str, words))
    for name, config in seen.owned("ConfigMap"):
        yield name, "the configuration", json.dumps(config.get("data") or {})
