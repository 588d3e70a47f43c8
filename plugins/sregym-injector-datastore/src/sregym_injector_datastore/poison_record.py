"""A record that its consumers cannot read, and behind which all others of the partition wait."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from pydantic import BaseModel, ConfigDict, Field
from sregym_core.errors import WorldError
from sregym_core.model import Change, Check, GroundTruth
from sregym_injectors.component_fault import ComponentFault
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.settings import settings_of
from sregym_injectors.workloads import ready_pod, run_in_workload
from typing_extensions import override

from sregym_injector_datastore.families import Family, family_of
from sregym_injector_datastore.shells import kafka
from sregym_injector_datastore.store_fault import failure_line, server_of
from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, CommandResult, FaultContext
    from sregym_core.model import Component

_PHRASES = (
    "poison pill", "poison message", "poison record", "malformed record", "malformed message",
    "truncated record", "truncated JSON", "unparseable record", "record cannot be parsed",
    "record that cannot be read", "invalid JSON record", "bad record", "corrupt record",
    "corrupt message", "head-of-line blocking", "blocks the partition", "deserialization error",
    "JSONDecodeError",
)  # fmt: skip
_NEVER_STUCK_S = 300.0


class PoisonRecord(ComponentFault):
    """Sends a record to a topic that the component, a consumer of it, cannot read."""

    name: ClassVar[str] = "poison-record"
    title: ClassVar[str] = "A record that cannot be read holds up its partition"
    layer: ClassVar[str] = "datastore"

    class Parameters(BaseModel):
        """Parameters.

        Attributes:
            record: The record: one line that is no JSON.
        """

        model_config = ConfigDict(frozen=True, extra="forbid")

        record: str = Field(default='{"order_id": "8f2c41', pattern=r"^[^'\n]+$")

    @override
    def mismatch_reason(self, component: Component) -> str:
        if not _setting(component, "topic") or not _setting(component, "group"):
            return (
                "its settings name no topic and group of a Kafka broker from which it takes records"
            )
        return ""

    @override
    def restart_recovers(self, target: Component, /) -> bool:
        return False

    @override
    def inject(self, context: FaultContext) -> None:
        part, broker = context.component, _broker(context)
        topic = _setting(part, "topic")
        edits = Edits(context)
        described = _ask(context, broker, "kafka-topics", "--describe", "--topic", topic)
        undo = _deletion(topic, max(1, described.stdout.count("\tPartition: ")))
        context.journal.command(broker.namespace, server_of(broker), undo, "")
        edits.pause()
        record = ("sh", "-c", f"printf '%s\\n' '{context.parameters.record}' | \"$@\"", "sh")
        send = (*record, *kafka("kafka-console-producer", "--topic", topic))
        result = run_in_workload(context.cluster, server_of(broker), broker.container, send)
        if not result.ok:
            raise WorldError(
                f"{self.name} on component {part.name!r}: topic {topic!r} of component "
                f"{broker.name!r} took no record: {failure_line(result)}; check the component's settings"
            )
        context.cluster.clock.wait_until(lambda: bool(_defects(context)), _NEVER_STUCK_S, 1.0)

    @override
    def present(self, context: FaultContext) -> Check:
        topic = _setting(context.component, "topic")
        expected = f"records of topic {topic} are taken one after the other"
        return defect_check(expected, _defects(context))

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        part = context.component
        topic, group = _setting(part, "topic"), _setting(part, "group")
        changed = Change(
            what=f"records of topic {topic}",
            before="all of them JSON",
            after=f"one is no JSON, and group {group} tries it for ever",
        )
        phrases = (*_PHRASES, f"record of {topic}", f"group {group} is stuck")
        symptoms = ("consumer lag grows", "records are not processed", "consumer is stuck")
        return truth_of(context, part.workload, "poison-record", phrases, changed, *symptoms)

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        part, broker = context.component, _broker(context)
        topic, group = _setting(part, "topic"), _setting(part, "group")
        stuck = next(iter(_stuck(context)), None)
        place = topic if stuck is None else f"{topic}:{stuck.partition}"
        on = ("--group", group, "--topic", place, "--reset-offsets", "--shift-by", "1", "--execute")
        skip = kafka("kafka-consumer-groups", *on)
        labels = ",".join(f"{key}={value}" for key, value in sorted(part.pod_labels.items()))
        return (
            commands.scale(part.workload, 0),
            commands.wait_deleted(part.namespace, labels),
            commands.execute(server_of(broker), broker.container, skip),
            commands.scale(part.workload, part.replicas),
            commands.rollout_status(part.workload),
        )


class _Stuck(NamedTuple):
    """Where a group stands before a record that is no JSON."""

    partition: str
    offset: str


def _setting(component: Component, role: str) -> str:
    """What a setting says: the value of its variable, or its name where the program has it built in."""
    found = next(iter(settings_of(component, role)), None)
    return "" if found is None else component.env.get(found.name, found.name)


def _broker(context: FaultContext) -> Component:
    """The Kafka that a component calls.

    Raises:
        WorldError: The application has none.
    """
    name = context.component.name
    for part in context.application.components():
        if family_of(part) is Family.KAFKA and name in part.callers:
            return part
    raise WorldError(
        f"poison-record on component {name!r}: no Kafka broker of application "
        f"{context.application.name!r} has it among its callers; say so in components.yaml"
    )


def _ask(context: FaultContext, broker: Component, script: str, *words: str) -> CommandResult:
    return run_in_workload(
        context.cluster, server_of(broker), broker.container, kafka(script, *words)
    )


def _deletion(topic: str, partitions: int) -> tuple[str, ...]:
    """Deletes what stands in a topic, whatever that is by then."""
    rows = [{"topic": topic, "partition": number, "offset": -1} for number in range(partitions)]
    text = json.dumps({"partitions": rows, "version": 1})
    file = "/tmp/records.json"  # noqa: S108 - in a container
    delete = f"echo '{text}' >{file} && \"$@\"; rm -f {file}"
    return ("sh", "-c", delete, "sh", *kafka("kafka-delete-records", "--offset-json-file", file))


def _defects(context: FaultContext) -> list[str]:
    """Why records are not taken; empty when they are."""
    broker, part = _broker(context), context.component
    if ready_pod(context.cluster, server_of(broker)) is None:
        return [f"{server_of(broker)} has no ready pod that could be asked"]
    topic, group = _setting(part, "topic"), _setting(part, "group")
    listed = _ask(context, broker, "kafka-topics", "--list")
    if topic not in listed.stdout.split():
        return [f"there is no topic {topic}"]
    return [
        f"group {group} stands before a record of {topic}-{stuck.partition} that is no JSON, at "
        f"offset {stuck.offset}"
        for stuck in _stuck(context)
    ]


def _stuck(context: FaultContext) -> list[_Stuck]:
    """Partitions at whose next record the group cannot go on."""
    broker, part = _broker(context), context.component
    topic, group = _setting(part, "topic"), _setting(part, "group")
    rows = _ask(context, broker, "kafka-consumer-groups", "--describe", "--group", group).stdout
    found = []
    for row in (line.split() for line in rows.splitlines()):
        if row[:2] != [group, topic] or row[5] == "0":
            continue
        at = ("--topic", topic, "--partition", row[2], "--offset", row[3])
        read = _ask(context, broker, "kafka-console-consumer", *at, "--max-messages", "1")
        if not _is_json(read.stdout):
            found.append(_Stuck(row[2], row[3]))
    return found


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
