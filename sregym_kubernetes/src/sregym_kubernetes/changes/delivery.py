"""Tools by which objects get into a cluster and are changed there, and what each leaves behind."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from sregym_core.interfaces.actor import KUBECTL_AGENT, Actor

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

    from sregym_core.interfaces.cluster import KubeObject

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
MANAGED_BY = "app.kubernetes.io/managed-by"
HELM_RELEASE = "meta.helm.sh/release-name"
HELM_NAMESPACE = "meta.helm.sh/release-namespace"
ARGO_TRACKING = "argocd.argoproj.io/tracking-id"
FLUX_NAME = "kustomize.toolkit.fluxcd.io/name"
FLUX_NAMESPACE = "kustomize.toolkit.fluxcd.io/namespace"


class Delivery(StrEnum):
    """How an object is delivered.

    A person or a CI job with `kubectl create` or `kubectl apply`, Helm, Argo CD, Flux.
    """

    CREATE = "kubectl-create"
    APPLY = "kubectl-apply"
    HELM = "helm"
    ARGO_CD = "argocd"
    FLUX = "flux"


EDIT = Actor("kubectl-edit", KUBECTL_AGENT)
PATCH = Actor("kubectl-patch", KUBECTL_AGENT)
CREATED = Actor("kubectl-create", KUBECTL_AGENT)
REPLACED = Actor("kubectl-replace", KUBECTL_AGENT)
RESTART = Actor("kubectl-rollout", KUBECTL_AGENT)
LABEL = Actor("kubectl-label", KUBECTL_AGENT)
ANNOTATE = Actor("kubectl-annotate", KUBECTL_AGENT)
# Who brings a new version, by delivery.
DELIVERERS: Mapping[Delivery, Actor] = {
    Delivery.CREATE: Actor("kubectl-create", KUBECTL_AGENT),
    Delivery.APPLY: Actor("kubectl-client-side-apply", KUBECTL_AGENT),
    Delivery.HELM: Actor("helm", "Helm/3.18.6", "system:serviceaccount:ci:deployer"),
    Delivery.ARGO_CD: Actor(
        "argocd-controller",
        "argocd-application-controller/v0.0.0 (linux/amd64) kubernetes/$Format",
        "system:serviceaccount:argocd:argocd-application-controller",
    ),
    Delivery.FLUX: Actor(
        "kustomize-controller",
        "kustomize-controller/v0.0.0 (linux/amd64) kubernetes/$Format",
        "system:serviceaccount:flux-system:kustomize-controller",
    ),
}
# Tools that keep the configuration they applied in an annotation.
REMEMBERING = tuple(DELIVERERS[one].manager for one in (Delivery.APPLY, Delivery.ARGO_CD))
# Of ten changes of an object that some tool delivers, how many are made by hand.
_BY_HAND = 5


def delivery_of(obj: KubeObject) -> Delivery:
    """How a live object is delivered, by the marks that the tools leave on it."""
    metadata = obj["metadata"]
    labels, annotations = metadata.get("labels") or {}, metadata.get("annotations") or {}
    managers = {entry.get("manager") for entry in metadata.get("managedFields") or ()}
    for delivery, marks in (
        (Delivery.HELM, labels.get(MANAGED_BY) == "Helm" or HELM_RELEASE in annotations),
        (Delivery.ARGO_CD, ARGO_TRACKING in annotations),
        (Delivery.FLUX, FLUX_NAME in labels),
    ):
        if marks or DELIVERERS[delivery].manager in managers:
            return delivery
    return Delivery.APPLY if LAST_APPLIED in annotations else Delivery.CREATE


def marker_for(obj: KubeObject, patch: Mapping[str, Any], chance: Random) -> Actor:
    """Who changes nothing but labels or annotations of a live object: as `actor_for`, by their own commands.

    Args:
        obj: As it is now.
        patch: What is changed of it.
        chance: From which the choice derives.
    """
    actor = actor_for(obj, chance)
    if actor not in (EDIT, PATCH):
        return actor
    return LABEL if "labels" in (patch.get("metadata") or {}) else ANNOTATE


def actor_for(obj: KubeObject, chance: Random) -> Actor:
    """Who changes the fields of a live object: the tool that delivers it, or a person beside it.

    Args:
        obj: As it is now.
        chance: From which the choice derives.
    """
    delivery = delivery_of(obj)
    by_hand = delivery is Delivery.CREATE or chance.randrange(10) < _BY_HAND
    if by_hand:
        return chance.choice((EDIT, EDIT, PATCH))
    return DELIVERERS[delivery]
