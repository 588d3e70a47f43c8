"""Changes that people and pipelines make meanwhile, and that have nothing to do with any incident."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sregym_injectors.noise import Disturbance, Schedule, ready_services

from sregym_noise_kubernetes.people import AUTOSCALER, SCALE, TEAMS, some_change

if TYPE_CHECKING:
    from sregym_injectors.noise import Occurrence


class InnocentDeploy(Disturbance):
    """Rolls out a service with another annotation of its pods: new pods, the same program."""

    name: ClassVar[str] = "innocent-deploy"
    title: ClassVar[str] = "somebody rolls out a service; nothing in it changes"
    family: ClassVar[str] = "changes"
    schedule: ClassVar[Schedule] = Schedule(pause_s=(300.0, 600.0), lasts_s=(900.0, 1500.0))

    def begin(self, occurrence: Occurrence) -> str:
        """Rolled back when it ends."""
        targets = ready_services(occurrence.context)
        if not targets:
            return ""
        part = occurrence.chance.choice(targets).component
        change = some_change(occurrence.chance)
        revision = f"{occurrence.chance.randrange(16**8):08x}"
        cause = {"kubernetes.io/change-cause": f"{change.who}: {change.why}"}
        template = {"metadata": {"annotations": {"build.revision": revision}}}
        patch = {"metadata": {"annotations": cause}, "spec": {"template": template}}
        occurrence.note(part.name)
        occurrence.edit(part.workload, patch, change.actor)
        return f"{change.who} rolled out {part.name}: {change.why}"


class LabelEdit(Disturbance):
    """Changes metadata of a service's objects."""

    name: ClassVar[str] = "label-edit"
    title: ClassVar[str] = "somebody edits labels and annotations of a Service or workload"
    family: ClassVar[str] = "changes"
    schedule: ClassVar[Schedule] = Schedule(pause_s=(120.0, 240.0), lasts_s=(900.0, 1500.0))

    def begin(self, occurrence: Occurrence) -> str:
        """No program reads them."""
        targets = ready_services(occurrence.context)
        if not targets:
            return ""
        part = occurrence.chance.choice(targets).component
        change = some_change(occurrence.chance)
        ref = occurrence.chance.choice([part.workload, *([part.service] if part.service else [])])
        marks: dict[str, Any] = occurrence.chance.choice(
            (
                {"labels": {"cost-centre": f"cc-{occurrence.chance.randint(100, 990)}"}},
                {"annotations": {"contact": f"team-{occurrence.chance.choice(TEAMS)}@example.com"}},
                {"annotations": {"docs.example.com/runbook": f"/runbooks/{part.name}"}},
            )
        )
        occurrence.note(part.name)
        occurrence.edit(ref, {"metadata": marks}, change.actor)
        return f"{change.who} edited {ref}: {change.why}"


class Autoscaling(Disturbance):
    """Gives a service more replicas for a while, as an autoscaler or a careful person does."""

    name: ClassVar[str] = "autoscaling"
    title: ClassVar[str] = "a service gets more replicas for a while"
    family: ClassVar[str] = "changes"
    schedule: ClassVar[Schedule] = Schedule(pause_s=(240.0, 420.0), lasts_s=(180.0, 420.0))

    def begin(self, occurrence: Occurrence) -> str:
        """One, one or two more."""
        cluster = occurrence.context.cluster
        targets = [
            target
            for target in ready_services(occurrence.context)
            if target.component.workload.kind == "Deployment" and not target.component.volumes
        ]
        if not targets:
            return ""
        part = occurrence.chance.choice(targets).component
        live = cluster.get(part.workload) or {}
        replicas = int((live.get("spec") or {}).get("replicas", 1)) + occurrence.by_level(1, 1, 2)
        occurrence.note(part.name)
        actor = occurrence.chance.choice((AUTOSCALER, SCALE))
        occurrence.edit(part.workload, {"spec": {"replicas": replicas}}, actor)
        return f"scaled {part.name} to {replicas}"
