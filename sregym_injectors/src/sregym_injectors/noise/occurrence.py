"""One disturbance: changes through which it can be undone, noted before they are made."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from sregym_core.errors import NodeError
from sregym_core.interfaces import Actor, ClusterError, node_access
from sregym_core.model import ObjectRef
from sregym_kubernetes.node_settings import parse_setting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random

    from sregym_core.interfaces import NoiseContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import NodeSetting

T = TypeVar("T")
_ALERTS = "/api/v2/alerts"


@dataclass(frozen=True)
class Occurrence:
    """What a source works with in one disturbance.

    Attributes:
        context: Of the source.
        number: Which disturbance it is, counted from 0.
        chance: From which all choices of this disturbance derive.
    """

    context: NoiseContext
    number: int
    chance: Random

    def by_level(self, *values: T) -> T:
        """The value for the noise level of the episode: arguments are those of levels 1, 2 and 3."""
        return values[min(self.context.level, len(values)) - 1]

    def note(self, *subjects: str) -> None:
        """Report the subjects of the disturbance: names of components, nodes and objects."""
        self.context.subjects.extend(subjects)

    def now(self) -> datetime:
        """The time on the episode's clock."""
        return datetime.fromtimestamp(int(self.context.cluster.clock.now()), UTC)

    def set(self, setting: NodeSetting) -> str:
        """Apply a setting to a node until the disturbance ends; returns it in words.

        What is set already, by a fault for instance, stays as it is: then nothing is returned.
        """
        access = node_access(self.context.cluster, (setting.capability,), "this noise")
        before = access.read(setting)
        if not before.is_neutral:
            return ""
        if self.context.journal is not None:
            self.context.journal.node_setting(before)
        self._remember(undo="setting", setting=setting.model_dump(mode="json"))
        try:
            access.apply(setting)
        except NodeError:
            access.apply(setting.neutral())  # a part of it may have been set
            raise
        fields = setting.model_dump(mode="json", exclude_defaults=True, exclude={"what"})
        for name in type(setting).identity:
            fields.pop(name, None)
        told = ", ".join(f"{name} {value}" for name, value in fields.items())
        return f"{setting.key}: {told}"

    def create(self, obj: KubeObject, actor: Actor | None = None, age_s: float = 0.0) -> ObjectRef:
        """Create an object that is deleted when the disturbance ends.

        Args:
            obj: The object.
            actor: Who makes it.
            age_s: How old it is to look, on clusters whose past can be made.
        """
        ref = ObjectRef.of(obj)
        if self.context.cluster.get(ref) is not None:
            message = f"there is a {ref} already"
            raise ClusterError(409, "AlreadyExists", message)
        self._save(ref, None)
        self._remember(undo="object", ref=ref.model_dump(mode="json"))
        self.context.cluster.create(obj, actor)
        if age_s:
            self.context.cluster.backdate(ref, age_s)
        self.note(ref.name)
        return ref

    def edit(self, ref: ObjectRef, patch: Mapping[str, Any], actor: Actor | None = None) -> None:
        """Set fields of an object until the disturbance ends; what others set meanwhile stays.

        Args:
            ref: The object.
            patch: A merge patch of mappings and plain values, without lists.
            actor: Who does it, and undoes it.
        """
        current = self.context.cluster.get(ref)
        if current is None:
            message = f"there is no {ref}"
            raise ClusterError(404, "NotFound", message)
        self._save(ref, current)
        who = (
            None
            if actor is None
            else [actor.manager, actor.user_agent, actor.user, actor.limited, [*actor.groups]]
        )
        self._remember(
            undo="fields",
            ref=ref.model_dump(mode="json"),
            set=dict(patch),
            before=_before(current, patch),
            actor=who,
        )
        self.context.cluster.patch(ref, dict(patch), "merge", actor)

    def alert(self, labels: Mapping[str, str], annotations: Mapping[str, str], source: str) -> bool:
        """Post an alert to Alertmanager, over when the disturbance ends.

        Returns:
            False where the cluster has no Alertmanager that takes it.
        """
        if "alertmanager" not in self.context.cluster.services:
            return False
        alert = {
            "labels": dict(labels),
            "annotations": dict(annotations),
            "startsAt": _time(self.now()),
            "generatorURL": source,
        }
        self._remember(undo="alert", alert=alert)
        return _posted(self.context, alert, self.now().timestamp() + _ALERT_LASTS_S)

    def _save(self, ref: ObjectRef, before: KubeObject | None) -> None:
        """Record how an object was, to be restored after an episode that was interrupted."""
        if self.context.journal is not None:
            self.context.journal.restore(ref, before)

    def _remember(self, **entry: Any) -> None:
        # JSON, so that what is kept with an episode can be copied and written.
        entries = self.context.memory.setdefault(str(self.number), [])
        entries.append(json.loads(json.dumps(entry)))


# An alert is posted once; it is over before, when its disturbance ends.
_ALERT_LASTS_S = 3600.0


def end_occurrence(context: NoiseContext, number: int) -> list[str]:
    """Undo what a disturbance changed, the latest first; returns it in words.

    What cannot be undone any more, because the object is gone or a request is refused, is left: the
    baseline is restored object by object when the episode ends.
    """
    said = []
    for entry in reversed(context.memory.pop(str(number), [])):
        try:
            said.append(_undo(context, entry))
        except (ClusterError, NodeError) as refusal:
            said.append(f"not ended: {' '.join(str(refusal).split())}")
    return [words for words in said if words]


def _undo(context: NoiseContext, entry: Mapping[str, Any]) -> str:
    if entry["undo"] == "setting":
        return _undo_setting(context, parse_setting(entry["setting"]))
    if entry["undo"] == "alert":
        _posted(context, entry["alert"], context.cluster.clock.now())
        return f"alert {entry['alert']['labels'].get('alertname', '')} is over"
    ref = ObjectRef(**entry["ref"])
    if entry["undo"] == "object":
        context.cluster.delete(ref)
        return f"{ref} deleted"
    current = context.cluster.get(ref)
    patch = {} if current is None else _still(current, entry["set"], entry["before"])
    if not patch:
        return ""
    actor = None
    if entry["actor"]:
        manager, agent, user, limited, groups = entry["actor"]
        actor = Actor(manager, agent, user, limited, tuple(groups))
    context.cluster.patch(ref, patch, "merge", actor)
    return f"{ref} as before"


def _undo_setting(context: NoiseContext, setting: NodeSetting) -> str:
    access = context.cluster.nodes
    if access is None or access.read(setting) != setting:
        return ""
    access.apply(setting.neutral())
    return f"{setting.key} is over"


def _before(current: Any, patch: Mapping[str, Any]) -> dict[str, Any]:
    """The merge patch that makes the fields of another one as they are now."""
    there = current if isinstance(current, dict) else {}
    return {
        field: _before(there.get(field), value) if isinstance(value, dict) else there.get(field)
        for field, value in patch.items()
    }


def _still(current: Any, was_set: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a reverse patch whose fields have not been changed since."""
    there = current if isinstance(current, dict) else {}
    back: dict[str, Any] = {}
    for field, value in was_set.items():
        if isinstance(value, dict):
            inner = _still(there.get(field), value, before[field])
            if inner:
                back[field] = inner
        elif there.get(field) == value:
            back[field] = before[field]
    return back


def _posted(context: NoiseContext, alert: Mapping[str, Any], ends_s: float) -> bool:
    ends = _time(datetime.fromtimestamp(int(ends_s), UTC))
    body = json.dumps([{**alert, "endsAt": ends}]).encode()
    query: Sequence[tuple[str, str]] = ()
    return context.cluster.observe("alertmanager", _ALERTS, query, "POST", body).status == 200


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
