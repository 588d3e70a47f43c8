"""What stands around an application: policies, quotas, the cluster's DNS, nodes, flags, Jobs."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from sregym_agents.survey.listed import pod_labels

from sregym_agent_playbook.observations import Observation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_agents.survey import Listing

_TEMPLATE = re.compile(r"template\s+\S+\s+\S+(?:\s+\S+)?\s*\{([^}]*)\}", re.DOTALL)
_HOSTS = re.compile(r"hosts\s*\{([^}]*)\}", re.DOTALL)


def policies(seen: Listing) -> Iterator[Observation]:
    """NetworkPolicies that let nothing in or out."""
    for policy in seen.of_kind("NetworkPolicy"):
        spec, name = policy["spec"], policy["metadata"]["name"]
        wanted = (spec.get("podSelector") or {}).get("matchLabels") or {}
        ways = [way for way in spec.get("policyTypes") or ("Ingress",) if not spec.get(way.lower())]
        for owner, workload in seen.owned("Deployment", "StatefulSet", "DaemonSet"):
            if ways and wanted and wanted.items() <= pod_labels(workload).items():
                text = f"NetworkPolicy {name} denies all {' and '.join(ways)} traffic"
                yield Observation("policy", owner, "NetworkPolicy", text, name)


def name_server(seen: Listing) -> Iterator[Observation]:
    """A Corefile that answers for names of Services, or no longer for the cluster's zone."""
    for config in seen.elsewhere("ConfigMap"):
        text = (config.get("data") or {}).get("Corefile", "")
        if not text:
            continue
        if "kubernetes" not in text:
            yield Observation("dns", "coredns", "ConfigMap", "the zone is not served", "coredns")
        for block in (*_TEMPLATE.findall(text), *_HOSTS.findall(text)):
            plain = block.replace("\\", "")
            # The longest name that stands in it: `user` stands in `user-service`, too.
            named = [n for n in seen.components if re.search(rf"(?<![\w-]){re.escape(n)}\.", plain)]
            message = "NXDOMAIN" if "NXDOMAIN" in block else "another answer"
            if named:
                owner = max(named, key=len)
                what = f"the Corefile has {message} for the name of {owner}"
                yield Observation("dns", owner, "ConfigMap", what, "coredns")
            else:
                what = f"the Corefile has {message} for the zone"
                yield Observation("dns", "coredns", "ConfigMap", what, "coredns")


def flags(seen: Listing) -> Iterator[Observation]:
    """Feature flags that are not at `off`, where they have that variant."""
    for owner, config in seen.owned("ConfigMap"):
        for text in (config.get("data") or {}).values():
            for name, flag in _flags_in(text).items():
                now = flag.get("defaultVariant")
                switched = "off" in flag.get("variants", ()) and now != "off"
                if switched and flag.get("state") == "ENABLED":
                    what = f"feature flag {name} is switched on: defaultVariant {now}"
                    yield Observation("flag", owner, "ConfigMap", what, name)


def _flags_in(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    flags = found.get("flags") if isinstance(found, dict) else None
    return flags if isinstance(flags, dict) else {}


def jobs(seen: Listing) -> Iterator[Observation]:
    """Pods of Jobs in which one container has ended and another goes on."""
    for job in seen.of_kind("Job"):
        owner = seen.owner(job)
        for pod in seen.of_kind("Pod"):
            refs = pod["metadata"].get("ownerReferences") or ()
            if not any(ref["name"] == job["metadata"]["name"] for ref in refs):
                continue
            states = [
                one.get("state") or {}
                for one in (pod.get("status") or {}).get("containerStatuses") or ()
            ]
            ended = [(s["terminated"] or {}).get("exitCode") for s in states if "terminated" in s]
            if 0 in ended and any("running" in state for state in states):
                name = _component_of_job(seen, owner or job["metadata"]["name"])
                yield Observation(
                    "job", name, "CronJob", "a sidecar keeps the Job from completing", owner or ""
                )


def _component_of_job(seen: Listing, job: str) -> str:
    """The component that a Job is about: of whose name it begins, where it is one of its own."""
    longer = [name for name in seen.components if name != job and job.startswith(f"{name}-")]
    return max(longer, key=len, default=job)


def nodes(seen: Listing) -> Iterator[Observation]:
    """Nodes that are not ready or under pressure, blamed by their name."""
    for node in seen.elsewhere("Node"):
        name = node["metadata"]["name"]
        for one in (node.get("status") or {}).get("conditions") or ():
            bad = one["status"] != "True" if one["type"] == "Ready" else one["status"] == "True"
            if bad:
                text = f"node {name}: {one['type']} is {one['status']}: {one.get('message', '')}"
                yield Observation("node", name, "Node", text, name)
