"""Who changes a running system for good reasons: people, and the pipelines that they use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_core.interfaces import Actor
from sregym_core.interfaces.actor import KUBECTL_AGENT
from sregym_kubernetes.changes.delivery import DELIVERERS, EDIT, Delivery

from sregym_kubernetes import changes

if TYPE_CHECKING:
    from random import Random

PEOPLE = tuple(one.user.partition("@")[0] for one in changes.PEOPLE)
TEAMS = ("core", "data", "growth", "payments", "platform", "search", "web")
PIPELINES = ("gitlab-ci", "github-actions", "jenkins", "buildkite", "tekton")
SCALE = Actor("kubectl-scale", KUBECTL_AGENT)
AUTOSCALER = Actor(
    "kube-controller-manager",
    "kube-controller-manager/v1.34.1 (linux/amd64) kubernetes/93248f9/system:serviceaccount:kube-system:horizontal-pod-autoscaler",
    "system:serviceaccount:kube-system:horizontal-pod-autoscaler",
)


@dataclass(frozen=True)
class Change:
    """A person's reason to change something.

    Attributes:
        who: A person, or a pipeline with its number.
        why: As it stands in the change cause.
        actor: With which tool.
    """

    who: str
    why: str
    actor: Actor


_REASONS = (
    "bump base image digest",
    "rotate build metadata",
    "add cost-allocation annotation",
    "refresh dashboards links",
    "chore: sync labels with service catalogue",
    "update runbook links",
    "tag release for audit",
    "renovate: pin digests",
)


def some_change(chance: Random) -> Change:
    """One of a person or of a pipeline."""
    why = chance.choice(_REASONS)
    who = changes.choose_person(chance)
    person = who.user.partition("@")[0]
    if chance.random() < 0.5:
        return Change(person, why, changes.as_person(who, EDIT))
    pipeline = f"{chance.choice(PIPELINES)} #{chance.randint(1200, 98000)}"
    return Change(f"{pipeline} by {person}", why, DELIVERERS[Delivery.APPLY])
