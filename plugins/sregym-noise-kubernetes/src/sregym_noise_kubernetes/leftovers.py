"""What lies about in every cluster: zombies of former times, and decoys that look like a cause.

Each is a row: a name, and the manifest that it stands for. None of them changes how anything works.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.interfaces import ClusterError
from sregym_injectors.noise import LASTING, Disturbance, Schedule
from sregym_injectors.noise.targets import disturbable_components

from sregym_noise_kubernetes.people import TEAMS, some_change

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_core.model import Component
    from sregym_injectors.noise import Occurrence

    Manifest = dict[str, Any]
    Row = Callable[[Occurrence, Component], Manifest]


def _named(kind: str, version: str, name: str, part: Component, **body: Any) -> Manifest:
    metadata = {"name": name, "namespace": part.namespace}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **body}


def _year(occurrence: Occurrence) -> str:
    return str(occurrence.now().year - occurrence.chance.randint(1, 3))


def _stale_config(occurrence: Occurrence, part: Component) -> Manifest:
    name = f"{part.name}-config-{occurrence.chance.choice(('old', 'v1', 'bak', _year(occurrence)))}"
    data = {
        "TIMEOUT_MS": str(occurrence.chance.choice((200, 500, 800))),
        "RETRIES": "0",
        "UPSTREAM": f"{part.name}-legacy:{occurrence.chance.randint(7000, 9900)}",
    }
    return _named("ConfigMap", "v1", name, part, data=data)


def _orphaned_claim(occurrence: Occurrence, part: Component) -> Manifest:
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": f"{occurrence.chance.choice((1, 5, 10))}Gi"}},
        "storageClassName": f"legacy-{occurrence.chance.choice(('hdd', 'nfs', 'ssd'))}",
    }
    name = f"{part.name}-data-restore-{_year(occurrence)}"
    return _named("PersistentVolumeClaim", "v1", name, part, spec=spec)


def _unused_service(occurrence: Occurrence, part: Component) -> Manifest:
    name = f"{part.name}-{occurrence.chance.choice(('legacy', 'canary', 'v1'))}"
    port = part.ports[0].port if part.ports else 8080
    spec = {"selector": {"app": name, "track": "retired"}, "ports": [{"port": port}]}
    return _named("Service", "v1", name, part, spec=spec)


def _suspended_schedule(occurrence: Occurrence, part: Component) -> Manifest:
    name = f"{part.name}-{occurrence.chance.choice(('report', 'cleanup', 'reindex'))}"
    container = {"name": "run", "image": part.image, "command": ["/bin/true"]}
    pod = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    hour = occurrence.chance.randint(0, 23)
    job = {"spec": {"template": pod}}
    spec = {"schedule": f"17 {hour} * * *", "suspend": True, "jobTemplate": job}
    return _named("CronJob", "batch/v1", name, part, spec=spec)


def _suspended_job(occurrence: Occurrence, part: Component) -> Manifest:
    name = f"{part.name}-migrate-{occurrence.chance.randint(2, 40):03d}"
    container = {"name": "migrate", "image": part.image, "command": ["/bin/true"]}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    return _named("Job", "batch/v1", name, part, spec={"suspend": True, "template": template})


def _inert_webhook(occurrence: Occurrence, part: Component) -> Manifest:
    team = occurrence.chance.choice(TEAMS)
    webhook = {
        "name": f"{team}.policy.example.com",
        "clientConfig": {"url": f"https://policy.{team}.example.com/validate"},
        "rules": [
            {
                "apiGroups": [f"{team}.example.com"],
                "apiVersions": ["v1alpha1"],
                "operations": ["CREATE", "UPDATE"],
                "resources": ["policies"],
            }
        ],
        "failurePolicy": "Ignore",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "timeoutSeconds": 5,
    }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": f"{team}-{part.name}-policy"},
        "webhooks": [webhook],
    }


def _loose_limits(occurrence: Occurrence, part: Component) -> Manifest:
    # Of containers it would set what those get that say nothing.
    spec = {"limits": [{"type": "PersistentVolumeClaim", "max": {"storage": "100Ti"}}]}
    return _named("LimitRange", "v1", f"{occurrence.chance.choice(TEAMS)}-ceiling", part, spec=spec)


def _loose_quota(occurrence: Occurrence, part: Component) -> Manifest:
    spec = {"hard": {"count/configmaps": "5000", "count/secrets": "5000"}}
    return _named(
        "ResourceQuota", "v1", f"{occurrence.chance.choice(TEAMS)}-objects", part, spec=spec
    )


def _unused_flags(occurrence: Occurrence, part: Component) -> Manifest:
    flags = ("newCheckout", "failFast", "shadowTraffic", "disableCache", "rateLimitV2", "darkMode")
    chosen = occurrence.chance.sample(flags, 4)
    data = {flag: occurrence.chance.choice(("on", "off")) for flag in chosen}
    return _named("ConfigMap", "v1", f"{part.name}-feature-flags", part, data=data)


def _wide_policy(occurrence: Occurrence, part: Component) -> Manifest:
    spec = {
        "podSelector": {"matchLabels": {"app": f"{part.name}-retired"}},
        "policyTypes": ["Ingress"],
        "ingress": [],
    }
    name = f"deny-{part.name}-{occurrence.chance.choice(TEAMS)}"
    return _named("NetworkPolicy", "networking.k8s.io/v1", name, part, spec=spec)


def _spare_budget(occurrence: Occurrence, part: Component) -> Manifest:
    selector = {"matchLabels": {"app": f"{part.name}-retired"}}
    name = f"{part.name}-{occurrence.chance.choice(TEAMS)}-pdb"
    spec = {"maxUnavailable": 0, "selector": selector}
    return _named("PodDisruptionBudget", "policy/v1", name, part, spec=spec)


ZOMBIES: Mapping[str, Row] = {
    "stale ConfigMap": _stale_config,
    "orphaned claim": _orphaned_claim,
    "Service without pods": _unused_service,
    "suspended CronJob": _suspended_schedule,
    "suspended Job": _suspended_job,
}
DECOYS: Mapping[str, Row] = {
    "inert webhook": _inert_webhook,
    "loose limits": _loose_limits,
    "loose quota": _loose_quota,
    "unused flags": _unused_flags,
    "policy that selects nothing": _wide_policy,
    "budget that selects nothing": _spare_budget,
}


# Hours to days: no younger than what people did to the application lately, and no older than it.
AGES_S = (2 * 3600.0, 5 * 86400.0)


class Leftovers(Disturbance):
    """Puts some of its rows into the application's namespaces."""

    family: ClassVar[str] = "leftovers"
    schedule: ClassVar[Schedule] = LASTING
    rows: ClassVar[Mapping[str, Row]]

    def begin(self, occurrence: Occurrence) -> str:
        """1, 2 or 4 of them; what is there already is left as it is."""
        parts = disturbable_components(occurrence.context)
        if not parts:
            return ""
        made = []
        for what in occurrence.chance.sample(sorted(self.rows), occurrence.by_level(1, 2, 4)):
            part = occurrence.chance.choice(parts)
            change = some_change(occurrence.chance)
            try:
                age_s = round(occurrence.chance.uniform(*AGES_S), 3)
                ref = occurrence.create(self.rows[what](occurrence, part), change.actor, age_s)
            except ClusterError as refusal:
                made.append(f"no {what}: {refusal}")
            else:
                made.append(f"{what} {ref}")
        return "; ".join(made)


class Zombies(Leftovers):
    """Objects that are no longer used."""

    name: ClassVar[str] = "zombies"
    title: ClassVar[str] = "objects that nobody uses: stale ConfigMaps, orphaned claims, old Jobs"
    rows: ClassVar[Mapping[str, Row]] = ZOMBIES


class Decoys(Leftovers):
    """Objects that look like a cause and are none."""

    name: ClassVar[str] = "decoys"
    title: ClassVar[str] = "objects that look like a cause: inert webhooks, loose limits, flags"
    rows: ClassVar[Mapping[str, Row]] = DECOYS
