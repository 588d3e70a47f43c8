"""Programs that take records from the topics of a message queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field, field_validator

from sregym_apps.model.base import Entry, Text, expand
from sregym_apps.model.configuration import Line

if TYPE_CHECKING:
    from collections.abc import Mapping


class Poison(Entry):
    """What a consumer does with a record that it cannot read.

    Attributes:
        then: `retry` it for ever, so that its partition stands still, or `skip` it; also a setting,
            of which everything but `skip` is `retry`.
        every_s: Between two tries.
        log: Lines written for each.
    """

    then: Text = "retry"
    every_s: float = Field(default=1.0, gt=0)
    log: tuple[Line, ...] = ()

    @field_validator("then")
    @classmethod
    def _known(cls, text: str) -> str:
        if "${" not in text and text not in ("retry", "skip"):
            raise ValueError(f"{text!r} is neither 'retry' nor 'skip'")
        return text

    def with_facts(self, facts: Mapping[str, str]) -> Poison:
        """The same with the value of a setting."""
        then = "skip" if expand(self.then, facts) == "skip" else "retry"
        return self if then == self.then else self.model_copy(update={"then": then})


class Consumer(Entry):
    """Records that a program takes one after the other, as a member of a group.

    The members share the partitions. A record whose operation fails is tried again.

    Attributes:
        client: The client of the broker.
        topic: Where records come from; a name or a setting.
        group: The consumer group; a name or a setting.
        operation: What is done with each record.
        poison: What is done with a record that is no JSON.
    """

    client: str
    topic: Text
    group: Text
    operation: str
    poison: Poison = Poison()
