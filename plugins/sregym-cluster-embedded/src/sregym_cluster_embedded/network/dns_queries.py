"""What commands in containers asked the name servers of the cluster: the table `network.questions`.

Programs of service models ask at rates that follow from the traffic; what they ask is in no table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.keys import TableKey

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_cluster_embedded.network.records import Question, Reply
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_CODES = {
    "ok": "NOERROR",
    "nodata": "NOERROR",
    "nxdomain": "NXDOMAIN",
    "servfail": "SERVFAIL",
    "refused": "REFUSED",
}
# A script that asks for ever is counted for ever, but this many questions are known one by one.
_MOST = 2048


class AnsweredQuery(NamedTuple):
    """A question that a name server has answered.

    Attributes:
        at: Virtual second.
        address: Who asked.
        name: For what, without the final dot.
        found: Whether there was a record of the type.
    """

    at: float
    address: str
    name: str
    found: bool


class Answered(NamedTuple):
    """Questions of one type that were answered with one code.

    Attributes:
        before: How many there were before those that are known one by one.
        latest: These, oldest first.
    """

    before: int = 0
    latest: tuple[AnsweredQuery, ...] = ()


# Type of the question and code of the answer -> the questions.
QUESTIONS: TableKey[tuple[str, str], Answered] = TableKey("network.questions")


def note(world: World, source: Object | None, replies: Iterable[tuple[Question, Reply]]) -> None:
    """Count questions of a pod that a CoreDNS has answered."""
    address = str((source or {}).get("status", {}).get("podIP", ""))
    table = world.table(QUESTIONS)
    for question, reply in replies:
        code = _CODES.get(reply.status)
        if code is not None:
            key = (question.kind, code)
            before, latest = table.get(key, Answered())
            heard = AnsweredQuery(world.now, address, question.name, reply.status == "ok")
            dropped = len(latest) + 1 - _MOST
            if dropped > 0:
                before, latest = before + dropped, latest[dropped:]
            table[key] = Answered(before, (*latest, heard))
