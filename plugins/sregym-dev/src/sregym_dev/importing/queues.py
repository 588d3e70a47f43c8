"""Message queues between programs: who sends, and who takes what is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_dev.importing.stores import topic_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_dev.importing.call_graph import Edge
    from sregym_dev.importing.programs import Program
    from sregym_dev.importing.remarks import Remarks

_MESSAGING = ("kafka", "amqp")


def with_consumers(
    programs: Sequence[Program], entry: str, edges: Sequence[Edge], remarks: Remarks
) -> None:
    """Let programs that get no requests consume messages; the others send them.

    Where all are asked, the first sends and the others take.
    """
    asked = {edge.callee.component for edge in edges} | {entry}
    for protocol in _MESSAGING:
        users = [p for p in programs if any(c["protocol"] == protocol for c in p.clients.values())]
        takers = [p for p in users if not {part.component for part in p.parts} & asked]
        if len(takers) == len(users):
            takers = takers[1:]
        for program in takers:
            _take(program, protocol, remarks)


def _take(program: Program, protocol: str, remarks: Remarks) -> None:
    for name, client in program.clients.items():
        if client["protocol"] != protocol:
            continue
        topic = topic_of(program.parts[0])
        for component, calls in list(program.calls.items()):
            if any(call["call"].startswith(f"{name}.") for call in calls):
                del program.calls[component]
        taken = {"client": name, "topic": topic, "group": program.name, "operation": "work"}
        program.consumers[name] = taken
        remarks.guessed(program.parts[0].where, f"takes what others send to {topic!r} at {name}")
