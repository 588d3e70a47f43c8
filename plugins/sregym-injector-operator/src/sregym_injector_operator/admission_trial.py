"""Whether admission lets a component's pods be created, and as what: a trial that stores nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_core.interfaces import Command

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_injectors.template_change import Template

# Words of refusals for which webhooks are to blame.
_OF_WEBHOOKS = ("admission webhook", "failed calling webhook", "did not complete within")


class Trial(NamedTuple):
    """What came of it.

    Attributes:
        pod: The pod as it would be stored; None when it was refused.
        refused: Why, where a webhook is to blame; empty otherwise.
    """

    pod: KubeObject | None
    refused: str


def tried(context: FaultContext, live: Template) -> Trial:
    """Have the API server create a pod of the live template without storing it."""
    template: dict[str, Any] = live.workload["template"]
    given = template.get("metadata") or {}
    component = context.component
    metadata = {
        "generateName": f"{component.workload.name}-",
        "namespace": component.namespace,
        **{field: given[field] for field in ("labels", "annotations") if field in given},
    }
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": live.spec}
    words = ("kubectl", "create", "--dry-run=server", "-o", "json", "-f", "-")
    done = live.cluster.kubectl(Command(words, json.dumps(pod)))
    if done.ok:
        found: KubeObject = json.loads(done.stdout)
        return Trial(found, "")
    blamed = any(words in done.stderr for words in _OF_WEBHOOKS)
    return Trial(None, done.stderr.strip() if blamed else "")
