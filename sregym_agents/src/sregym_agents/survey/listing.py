"""Listing everything once, through a session."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from sregym_agents.survey.listed import Listing, LogLine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Session

    from sregym_agents.survey.listed import KubeObject

# Kinds of the application's namespaces. One command for all would fail for one that is refused.
NAMESPACED = (
    "deployments,statefulsets,daemonsets,replicasets,pods,services,configmaps,events",
    "jobs,cronjobs,horizontalpodautoscalers,persistentvolumeclaims,endpointslices",
    "networkpolicies,resourcequotas,limitranges,ingresses",
    "secrets",
)
WHOLE = (
    "nodes",
    "events -n default",  # those about nodes
    "namespaces",
    "persistentvolumes",
    "priorityclasses",
    "validatingwebhookconfigurations,mutatingwebhookconfigurations",
)
SYSTEM = "configmaps,deployments,daemonsets,pods,services,events"
SYSTEM_NAMESPACE = "kube-system"
LINES = 300
PAGES = 10
# Of the audit log: the newest requests of half a day.
REQUESTS, MINUTES = 150, 720
AUDIT = '{job="kube-apiserver-audit"}'
ERRORS = (
    "(?i)error|fail|panic|fatal|exception|refused|denied|unauthorized|no such|not found|timed? ?out"
)
# Clients that report how their requests fared count failures that there were none of.
NONE_FAILED = r"\bfailed=0\b"
_ALERT = re.compile(r"^firing\s+(\w+)\{(.*)\} since (\S+):")
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_LINE = re.compile(r"^(\d{4}-\d\d-\d\dT\S+Z) (\{(?:[^\"}]|\"[^\"]*\")*\} )?(.*)$")
_EVENT = '{"kind":"Event"'
_POD = re.compile(r'\bpod="([^"]*)"')


def list_everything(session: Session) -> Listing:
    """List what there is; what is refused is left out."""
    objects: list[KubeObject] = []
    for namespace in session.namespaces:
        for kinds in NAMESPACED:
            objects += _listed(session, f"{kinds} -n {namespace}")
    for kinds in WHOLE:
        objects += _listed(session, kinds)
    objects += _listed(session, f"{SYSTEM} -n {SYSTEM_NAMESPACE}")
    errors = [one for namespace in session.namespaces for one in _errors(session, namespace)]
    lines = [line for _, line in sorted(errors, key=lambda one: one[0])]
    return Listing(session.namespaces, objects, _alerts(session), lines, _audit(session))


def _listed(session: Session, what: str) -> Sequence[KubeObject]:
    result = session.kubectl(f"kubectl get {what} -o json --show-managed-fields")
    if not result.stdout.startswith("{"):
        return []
    found: Sequence[KubeObject] = json.loads(result.stdout).get("items", [])
    return found


def _alerts(session: Session) -> list[dict[str, str]]:
    told = session.call("alerts", {})
    found = []
    for line in told.text.splitlines() if told.ok else ():
        if match := _ALERT.match(line):
            name, labels, since = match.groups()
            found.append({"alertname": name, **dict(_LABEL.findall(labels)), "since": since})
    return sorted(found, key=lambda alert: alert["since"])


def _errors(session: Session, namespace: str) -> list[tuple[str, LogLine]]:
    """Lines with an error and their times, of which the newest are read where there are many."""
    query = f'{{namespace="{namespace}"}} |~ `{ERRORS}` !~ `{NONE_FAILED}`'
    found: list[tuple[str, LogLine]] = []
    shared = ""
    for page in range(1, PAGES + 1):
        told = session.call("query_logs", {"query": query, "limit": LINES, "page": page})
        if not told.ok:
            break
        head, *lines = told.text.splitlines() or [""]
        if match := _POD.search(head if page == 1 else ""):
            shared = match[1]  # all lines are of one pod, and the head alone says so
        for line in (head, *lines):
            if match := _LINE.match(line):
                pod = _POD.search(match[2] or "")
                found.append((match[1], LogLine(pod[1] if pod else shared, match[3])))
        if told.pages <= page:
            break
    return found


def _audit(session: Session) -> list[KubeObject]:
    """Events of the audit log, where the cluster has one; what is cut off is left out."""
    found: list[KubeObject] = []
    asked = {"query": AUDIT, "minutes": MINUTES, "limit": REQUESTS}
    for page in range(1, PAGES + 1):
        told = session.call("query_logs", {**asked, "page": page})
        if not told.ok:
            break
        for line in told.text.splitlines():
            start = line.find(_EVENT)
            try:
                found += [json.loads(line[start:])] if start >= 0 else []
            except ValueError:
                continue
        if told.pages <= page:
            break
    return sorted(found, key=lambda event: str(event["requestReceivedTimestamp"]))
