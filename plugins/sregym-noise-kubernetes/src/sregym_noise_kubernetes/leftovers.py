"""What lies about in every cluster: zombies of former times, and decoys that look like a cause.

Each is a row: a name, and the manifest that it stands for. None of them changes how anything works.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.interfaces import ClusterError
from sregym_injectors.noise import LASTING, Disturbance, Rhythm
from sregym_injectors.noise.victims import unspared

from sregym_noise_kubernetes.people import TEAMS, some_change

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_core.model import Component
    from sregym_injectors.noise import Turn

    Manifest = dict[str, Any]
    Row = Callable[[Turn, Component], Manifest]


def _named(kind: str, version: str, name: str, part: Component, **body: Any) -> Manifest:
    metadata = {"name": name, "namespace": part.namespace}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **body}


def _year(turn: Turn) -> str:
    return str(turn.now().year - turn.chance.randint(1, 3))


def _stale_config(turn: Turn, part: Component) -> Manifest:
    name = f"{part.name}-config-{turn.chance.choice(('old', 'v1', 'bak', _year(turn)))}"
    data = {
        "TIMEOUT_MS": str(turn.chance.choice((200, 500, 800))),
        "RETRIES": "0",
        "UPSTREAM": f"{part.name}-legacy:{turn.chance.randint(7000, 9900)}",
    }
    return _named("ConfigMap", "v1", name, part, data=data)


def _orphaned_claim(turn: Turn, part: Component) -> Manifest:
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": f"{turn.chance.choice((1, 5, 10))}Gi"}},
        "storageClassName": f"legacy-{turn.chance.choice(('hdd', 'nfs', 'ssd'))}",
    }
    name = f"{part.name}-data-restore-{_year(turn)}"
    return _named("PersistentVolumeClaim", "v1", name, part, spec=spec)


def _unused_service(turn: Turn, part: Component) -> Manifest:
    name = f"{part.name}-{turn.chance.choice(('legacy', 'canary', 'v1'))}"
    port = part.ports[0].port if part.ports else 8080
    spec = {"selector": {"app": name, "track": "retired"}, "ports": [{"port": port}]}
    return _named("Service", "v1", name, part, spec=spec)


def _suspended_schedule(turn: Turn, part: Component) -> Manifest:
    name = f"{part.name}-{turn.chance.choice(('report', 'cleanup', 'reindex'))}"
    container = {"name": "run", "image": part.image, "command": ["/bin/true"]}
    pod = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    hour = turn.chance.randint(0, 23)
    job = {"spec": {"template": pod}}
    spec = {"schedule": f"17 {hour} * * *", "suspend": True, "jobTemplate": job}
    return _named("CronJob", "batch/v1", name, part, spec=spec)


def _suspended_job(turn: Turn, part: Component) -> Manifest:
    name = f"{part.name}-migrate-{turn.chance.randint(2, 40):03d}"
    container = {"name": "migrate", "image": part.image, "command": ["/bin/true"]}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    return _named("Job", "batch/v1", name, part, spec={"suspend": True, "template": template})


def _inert_webhook(turn: Turn, part: Component) -> Manifest:
    team = turn.chance.choice(TEAMS)
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


def _loose_limits(turn: Turn, part: Component) -> Manifest:
    # Of containers it would set what those get that say nothing.
    spec = {"limits": [{"type": "PersistentVolumeClaim", "max": {"storage": "100Ti"}}]}
    return _named("LimitRange", "v1", f"{turn.chance.choice(TEAMS)}-ceiling", part, spec=spec)


def _loose_quota(turn: Turn, part: Component) -> Manifest:
    spec = {"hard": {"count/configmaps": "5000", "count/secrets": "5000"}}
    return _named("ResourceQuota", "v1", f"{turn.chance.choice(TEAMS)}-objects", part, spec=spec)


def _unused_flags(turn: Turn, part: Component) -> Manifest:
    flags = ("newCheckout", "failFast", "shadowTraffic", "disableCache", "rateLimitV2", "darkMode")
    chosen = turn.chance.sample(flags, 4)
    data = {flag: turn.chance.choice(("on", "off")) for flag in chosen}
    return _named("ConfigMap", "v1", f"{part.name}-feature-flags", part, data=data)


def _wide_policy(turn: Turn, part: Component) -> Manifest:
    spec = {
        "podSelector": {"matchLabels": {"app": f"{part.name}-retired"}},
        "policyTypes": ["Ingress"],
        "ingress": [],
    }
    name = f"deny-{part.name}-{turn.chance.choice(TEAMS)}"
    return _named("NetworkPolicy", "networking.k8s.io/v1", name, part, spec=spec)


def _spare_budget(turn: Turn, part: Component) -> Manifest:
    selector = {"matchLabels": {"app": f"{part.name}-retired"}}
    name = f"{part.name}-{turn.chance.choice(TEAMS)}-pdb"
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
    rhythm: ClassVar[Rhythm] = LASTING
    rows: ClassVar[Mapping[str, Row]]

    def begin(self, turn: Turn) -> str:
        """1, 2 or 4 of them; what is there already is left as it is."""
        parts = unspared(turn.context)
        if not parts:
            return ""
        made = []
        for what in turn.chance.sample(sorted(self.rows), turn.dose(1, 2, 4)):
            part = turn.chance.choice(parts)
            change = some_change(turn.chance)
            try:
                age_s = round(turn.chance.uniform(*AGES_S), 3)
                ref = turn.create(self.rows[what](turn, part), change.actor, age_s)
            except ClusterError as refusal:
                made.append(f"no {what}: {refusal}")
            else:
                made.append(f"{what} {ref}")
        return "; ".join(made)


class Zombies(Leftovers):
    """Objects that nobody uses any more."""

    name: ClassVar[str] = "zombies"
    title: ClassVar[str] = "objects that nobody uses: stale ConfigMaps, orphaned claims, old Jobs"
    rows: ClassVar[Mapping[str, Row]] = ZOMBIES


class Decoys(Leftovers):
    """Objects that look like a cause and are none."""

    name: ClassVar[str] = "decoys"
    title: ClassVar[str] = "objects that look like a cause: inert webhooks, loose limits, flags"
    rows: ClassVar[Mapping[str, Row]] = DECOYS
