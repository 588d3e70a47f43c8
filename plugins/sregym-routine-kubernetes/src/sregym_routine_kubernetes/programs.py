"""What programs write: those that platforms run beside applications, each with an account and a client of its own.

Without them the only request of a rare client, and the only one of its kind, would be that of a fault:
an operator's, or that of a job with an account of its own. They note something about parts of any
application in their metadata, which no program of it reads.
"""

from __future__ import annotations

from functools import partial
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from sregym_core.interfaces import Actor, ClusterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_core.interfaces import Cluster
    from sregym_core.model import Component, ObjectRef

    from sregym_routine_kubernetes.moments import Moment
    from sregym_routine_kubernetes.requests import Save

# How many of their requests come before the baseline, and after a fault.
# What comes after is another for each problem, and more: what came before stands out in all alike.
WRITES, WRITES_AFTER = (3, 6), (5, 9)
# Of ten of them, how many send the whole object instead of a patch.
_WHOLE = 5


class Program(NamedTuple):
    """A program that writes to the API.

    Attributes:
        account: Namespace and name of its service account.
        agent: Header `User-Agent` of its client.
        manager: Its field manager.
        note: Annotation that it keeps.
    """

    account: str
    agent: str
    manager: str
    note: str


_GO = "(linux/amd64) kubernetes/$Format"
PROGRAMS = (
    Program("audit:scanner", "trivy-operator/v0.27.3 " + _GO, "trivy-operator", "scanned-at"),
    Program("backup:velero", "velero-server/v1.16.2 " + _GO, "velero-server", "last-backup"),
    Program("ci:deployer", "kubectl/v1.31.9 (linux/amd64) kubernetes/f9a8c3e", "deploy", "build"),
    Program("ci:releases", "OpenAPI-Generator/32.0.1/python", "OpenAPI-Generator", "release"),
    Program("ci:terraform", "HashiCorp/1.0 Terraform/1.12.2", "Terraform", "workspace"),
    Program("finops:allocator", "kubecost/v2.7.2 " + _GO, "cost-model", "cost-centre"),
    Program("inventory:catalog", "kubernetes-client/node/1.3.0", "unknown", "catalogued-at"),
    Program("inventory:owners", "fabric8-kubernetes-client/7.3.1", "fabric8", "on-call"),
    Program("platform:janitor", "kube-janitor/23.7.0", "kube-janitor", "checked-at"),
    Program("platform:rightsizer", "goldilocks/v4.13.8 " + _GO, "goldilocks", "sized-at"),
    Program("policy:background", "kyverno/v1.14.4 " + _GO, "kyverno", "policies"),
    Program("portal:backstage", "node-fetch/1.0", "backstage", "portal-entity"),
    Program("security:labeller", "Go-http-client/2.0", "labeller", "data-class"),
    Program("tools:sweeper", "kubectl/v1.30.14 (linux/arm64) kubernetes/9e18483", "sweep", "seen"),
)


def writes(
    cluster: Cluster,
    parts: Sequence[Component],
    span: float,
    count: tuple[int, int],
    chance: Random,
    save: Save,
) -> Iterator[Moment]:
    """Their requests within a time; yields when and how.

    Args:
        cluster: Where.
        parts: The parts whose objects they are about.
        span: Seconds.
        count: Bounds of how many there are.
        chance: From which all of it derives.
        save: Called with what is changed, before it is.
    """
    number = chance.randint(*count) if parts else 0
    # Each of them seldom: of most one request is all that a day's log has.
    programs = chance.sample(PROGRAMS, min(number, len(PROGRAMS)))
    for program in programs:
        moment = round(chance.uniform(0.0, span), 3)
        seed = chance.random()
        yield moment, partial(_write, cluster, parts, program, seed, save)


def _write(
    cluster: Cluster, parts: Sequence[Component], program: Program, seed: float, save: Save
) -> None:
    chance = Random(seed)  # noqa: S311 - a game, no secret
    # First a part, by lot: few have all kinds, and those few would be written to the most.
    refs = _objects(chance.choice(parts))
    ref = chance.choice(refs)
    current = cluster.get(ref)
    if current is None:
        return
    save(ref, current)
    note = {f"platform.example.com/{program.note}": f"{chance.randrange(16**8):08x}"}
    actor = Actor(program.manager, program.agent, f"system:serviceaccount:{program.account}")
    metadata = current["metadata"]
    try:
        if chance.randrange(10) < _WHOLE:
            annotations = {**(metadata.get("annotations") or {}), **note}
            whole = {**current, "metadata": {**metadata, "annotations": annotations}}
            cluster.replace(whole, actor)
        else:
            cluster.patch(ref, {"metadata": {"annotations": note}}, "merge", actor)
    except ClusterError:
        return  # another writer was faster, or something refuses it


def _objects(part: Component) -> list[ObjectRef]:
    """What belongs to a part, once each."""
    found = [part.workload, *([] if part.service is None else [part.service])]
    found += [use.source for use in part.config]
    found += [use.ref for use in part.ingresses]
    return [*dict.fromkeys(found)]
