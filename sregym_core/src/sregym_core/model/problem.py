"""A problem: data that names an application, faults, noise, oracles and timing."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from sregym_core.model.base import Value
from sregym_core.model.defect import no_such
from sregym_core.model.target import Target, named_in


class FailureMode(StrEnum):
    """In which way a system fails, beside its defect.

    METASTABLE stays overloaded after its trigger is gone; CONCURRENT has independent root causes at
    once; CORRELATED has one cause in many components at once; CASCADING spreads from one component
    to others that are whole; GRAY fails for a part of the requests or is seen by some observers
    alone; SLOW answers late instead of failing; RECURRING comes back by itself after a repair;
    LATENT hurts no user until another event happens; WORSENING gets worse by the repair that everybody
    would try first.
    """

    METASTABLE = "metastable"
    CONCURRENT = "concurrent"
    CORRELATED = "correlated"
    CASCADING = "cascading"
    GRAY = "gray"
    SLOW = "slow"
    RECURRING = "recurring"
    LATENT = "latent"
    WORSENING = "worsening"


def _known_mode(value: Any) -> Any:
    known = [mode.value for mode in FailureMode]
    if isinstance(value, str) and value not in known:
        raise ValueError(no_such("failure mode", value, known))
    return value


def _several(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else (value,)


class FaultRef(Value):
    """One fault of a problem.

    Attributes:
        fault: Name of the fault primitive.
        targets: What it acts on, `target` in YAML: the name of a component, or another target;
            several in a list, each of which gets the same fault.
        parameters: What the fault's own `Parameters` accept.
        after_s: Seconds after the first injection at which this one follows.
    """

    fault: str
    targets: Annotated[tuple[Target, ...], BeforeValidator(_several)] = Field(
        alias="target", min_length=1
    )
    parameters: dict[str, Any] = Field(default_factory=dict)
    after_s: float = 0.0

    @property
    def target(self) -> str:
        """What it acts on, for people; a component by its name alone."""
        return ", ".join(map(str, self.targets))

    @property
    def components(self) -> tuple[str, ...]:
        """Names of the components among the targets, and of those for which others are chosen."""
        return tuple(dict.fromkeys(name for target in self.targets for name in named_in(target)))

    def single(self) -> tuple[FaultRef, ...]:
        """The same fault once for each target."""
        return tuple(self.model_copy(update={"targets": (target,)}) for target in self.targets)


class OracleRefs(Value):
    """Names of the oracles that judge the two stages; all of a stage must pass."""

    diagnosis: tuple[str, ...] = ("checklist",)
    mitigation: tuple[str, ...] = ("state",)


class Timing(Value):
    """Durations on the episode's clock, in seconds.

    Attributes:
        warm_up_s: From ready to baseline: traffic has to be steady.
        settle_s: At most so long until injected faults must be visible to users.
        repair_s: At most so long the mitigation oracle waits for the system to come back.
        window_s: How long the system must then stay healthy.
        relapse_s: How much longer a proof watches whether the repair holds.
    """

    warm_up_s: float = 60.0
    settle_s: float = 300.0
    repair_s: float = 420.0
    window_s: float = 60.0
    relapse_s: float = 300.0


class Problem(Value):
    """One thing that is wrong with one application.

    Attributes:
        id: Stable name; the upstream id where there is one.
        title: One line for people. Agents never see it.
        application: Name of the application.
        layer: `application`, `kubernetes`, `network`, `datastore`, `os`, `hardware` ...
        suites: Names of the suites that list it; those that follow from its other fields
            (`suites.py`) are not named here.
        faults: What is broken, one or more.
        noise: Sources of noise that disturb the episode, as `NAME` or `NAME=LEVEL`; level 0 to 3.
        noise_level: How much noise there is of further sources, 0 to 3: the seed selects which.
        oracles: Who judges.
        silent: True when users notice nothing (yet); the conductor then does not demand that
            they do.
        workarounds: Whether it is a repair, too, when the system works again and what the ground
            truth names is still as the fault left it: traffic that was led around a broken Service,
            for instance.
        timing: Durations.
        modes: In which ways the system fails; suites follow from them.
        hasty: kubectl command lines that an engineer in a hurry would run; with mode `worsening` alone. A
            proof shows that they leave more broken than there was.
        upstream: Id of the corresponding problem in the upstream benchmark, if any.
        source: Where it comes from, in a line: an incident report, a paper, an issue.
    """

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$")
    title: str
    application: str
    layer: str
    suites: tuple[str, ...] = ()
    faults: tuple[FaultRef, ...] = Field(min_length=1)
    noise: tuple[str, ...] = ()
    noise_level: int = Field(default=0, ge=0, le=3)
    oracles: OracleRefs = OracleRefs()
    silent: bool = False
    workarounds: bool = False
    timing: Timing = Timing()
    modes: tuple[Annotated[FailureMode, BeforeValidator(_known_mode)], ...] = ()
    hasty: tuple[Annotated[str, Field(pattern=r"^kubectl ")], ...] = ()
    upstream: str = ""
    source: str = ""

    @model_validator(mode="after")
    def _told_how_it_worsens(self) -> Problem:
        worsens = FailureMode.WORSENING in self.modes
        if worsens and not self.hasty:
            msg = "mode 'worsening' needs `hasty`: the kubectl commands that make it worse"
            raise ValueError(msg)
        if self.hasty and not worsens:
            msg = "`hasty` goes with mode 'worsening', which is not among the modes"
            raise ValueError(msg)
        return self

    @property
    def single_faults(self) -> tuple[FaultRef, ...]:
        """Its faults in order, each with one target."""
        return tuple(single for ref in self.faults for single in ref.single())
