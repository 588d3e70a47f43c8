"""The load generator: a program that sends a mix of requests at a rate and reports on it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator, model_validator

from sregym_apps.model.base import Entry, Text
from sregym_apps.model.configuration import Memory
from sregym_apps.model.flags import Flag
from sregym_apps.model.service import Program


class MixEntry(Entry):
    """One kind of request in the mix.

    Attributes:
        request: Method and path as sent: `GET /hotels?inDate=2015-04-09`.
        weight: How often it is chosen, relative to the other weights; a number or a setting.
        times: Requests that are sent one after the other, without a pause, each time it is chosen;
            a number, a setting or a flag. At 0 there is a pause and nothing else.
        headers: Headers of its requests, with settings and flags filled in; empty ones are not
            sent. They count where the request arrives, and are not handed on.
        counts_as: The operation as which its requests are reported; its own name where empty.
    """

    request: str = Field(pattern=r"^[A-Z]+ /\S*$")
    weight: Text
    times: Text = "1"
    headers: dict[str, Text] = Field(default_factory=dict)
    counts_as: str = ""

    @field_validator("weight")
    @classmethod
    def _is_positive(cls, text: str) -> str:
        try:
            good = "$" in text or float(text) > 0
        except ValueError:
            good = False
        if not good:
            raise ValueError("needs a number above 0, or a setting")
        return text


class Burst(Entry):
    """A time of more (or less) load that comes again and again.

    Attributes:
        every_s: From the start of one to the start of the next.
        for_s: How long it lasts.
        times: What the load is multiplied with.
        from_s: Start of the first, counted from the first request.
    """

    every_s: float = Field(gt=0)
    for_s: float = Field(gt=0)
    times: float = Field(ge=0)
    from_s: float = Field(default=0.0, ge=0)


class Phase(Entry):
    """From a moment on the load is multiplied.

    Attributes:
        at_s: Counted from the first request.
        times: What the load is multiplied with.
    """

    at_s: float = Field(ge=0)
    times: float = Field(ge=0)


class Stage(Entry):
    """A span of the load; the next one begins when it ends.

    Attributes:
        for_s: How long it lasts, a number or a setting; one without a number above 0 is left out.
        times: What the load is multiplied with; a number or a setting.
    """

    for_s: Text
    times: Text = "1"


class LoadGeneratorProgram(Program):
    """A load generator: open loop, where the rate holds whatever the answers, or closed.

    In a closed loop so many users each wait for a response, think, and send the next request.

    Attributes:
        kind: `load-generator`.
        target: URL that paths are appended to.
        host: Host header; empty for that of the target.
        verifies: Whether it breaks off where it cannot trust a certificate.
        trusted: Path of a file with the certificate of an authority that it trusts, as a setting may
            say; empty for those of its image.
        rate: Requests a second in an open loop, where each is sent once.
        users: Users of a closed loop; a number or a setting. Then there is no rate.
        think_s: How long a user thinks between an answer and the next request.
        schedule: Phases of the load, in order; the load is as given before the first.
        repeat_s: After so long the schedule begins again; 0 for never.
        stages: Follow one another from the first request on, and multiply the load besides; it is
            as given when they are over.
        cycle_s: Pause after the last of the stages until they begin again, a number or a setting;
            without a number above 0 they do not.
        bursts: Multiply the load besides.
        timeout_s: After which a request counts as timed out.
        round_s: Every so many seconds one line per operation reports its results.
        connections: As it announces in its first line.
        threads: As it announces in its first line.
        metrics: Load generator whose metrics it exports: `locust`, `k6`, or `none`; empty for those that its name
            promises. Tools like wrk export none; one that is called after no tool is Locust.
        mix: Operation -> request and weight.
        flags: Name -> feature flag that it requests while it runs.
    """

    kind: Literal["load-generator"]
    target: Text
    host: Text = ""
    verifies: bool = True
    trusted: Text = ""
    rate: Text = "0"
    users: Text = ""
    think_s: float = Field(default=1.0, ge=0)
    schedule: tuple[Phase, ...] = ()
    repeat_s: float = Field(default=0.0, ge=0)
    stages: tuple[Stage, ...] = ()
    cycle_s: Text = ""
    bursts: tuple[Burst, ...] = ()
    timeout_s: float = Field(default=5.0, gt=0)
    round_s: float = Field(default=10.0, gt=0)
    connections: Text = "100"
    threads: Text = "3"
    metrics: Literal["", "locust", "k6", "none"] = ""
    mix: dict[str, MixEntry] = Field(min_length=1)
    flags: dict[str, Flag] = Field(default_factory=dict[str, Flag])
    memory: Memory = Memory(base_mib="12")

    @property
    def told(self) -> tuple[str, ...]:
        """The operations that it reports on."""
        names = (entry.counts_as or name for name, entry in self.mix.items())
        return tuple(dict.fromkeys(names))

    @model_validator(mode="after")
    def _counts_what_it_has(self) -> LoadGeneratorProgram:
        for name, entry in self.mix.items():
            if entry.counts_as and entry.counts_as not in self.mix:
                known = ", ".join(self.mix)
                msg = f"'{name}' counts as '{entry.counts_as}', which 'mix' does not have; it has {known}"
                raise ValueError(msg)
        return self

    @model_validator(mode="after")
    def _has_load(self) -> LoadGeneratorProgram:
        if ("rate" in self.model_fields_set) == bool(self.users):
            raise ValueError("a load generator needs either 'rate' or 'users'")
        at = [phase.at_s for phase in self.schedule]
        if at != sorted(set(at)):
            raise ValueError("the phases of 'schedule' stand in the order of their 'at_s'")
        if self.repeat_s and at and at[-1] >= self.repeat_s:
            raise ValueError("the last phase of 'schedule' begins before 'repeat_s' is over")
        return self
