"""Start-up: the steps a program goes through before it serves, and what their failure does.

In YAML a step is a mapping with one verb: `- log: Reading config...`, `- dial: store`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from sregym_apps.model.base import Entry, Text
from sregym_apps.model.configuration import Line


class Failure(Entry):
    """What a failed step does; `${error}` in its lines is the reason as the client words it.

    Attributes:
        log: Lines written.
        then: End the process, try the step again, or go on without (a degraded start).
        code: Exit code when it ends.
        every_s: Pause before the next try.
        backoff: Factor by which the pause grows with each try.
        most_s: Upper bound of the pause.
        attempts: After so many tries the process ends with `code`; 0 tries for ever.
        last_log: Lines written when the attempts are used up.
    """

    log: tuple[Line, ...] = ()
    then: Literal["exit", "retry", "continue"] = "exit"
    code: int = Field(default=1, ge=0, le=255)
    every_s: float = Field(default=1.0, gt=0)
    backoff: float = Field(default=1.0, ge=1)
    most_s: float = Field(default=60.0, gt=0)
    attempts: int = Field(default=0, ge=0)
    last_log: tuple[Line, ...] = ()


class Step(Entry):
    """What all steps have.

    Attributes:
        takes_s: How long the step lasts when all is well.
        when: The step happens only if this text, filled in, is not empty, `0` or `false`.
        on_failure: What its failure does.
    """

    takes_s: Text = "0"
    when: Text | None = None
    on_failure: Failure = Failure()


class LogStep(Step):
    """Write a line."""

    log: Line


class ReadStep(Step):
    """Open and parse a configuration file; fails when it is missing or not of its form.

    The form is JSON unless the name ends as that of another: `.yaml`, `.properties`, `.ini` ...
    """

    read: str


class RequireStep(Step):
    """Need settings; fails for the first that is absent, `${setting}` being its name."""

    require: tuple[str, ...]


class DialStep(Step):
    """Connect a client, with its credentials; fails as the client does."""

    dial: str
    timeout_s: float | None = Field(default=None, gt=0)


class QueryStep(Step):
    """Send one command `client.command` to a datastore; fails as the client does."""

    query: str
    collection: str = ""


class SeedStep(Step):
    """Fill a collection of a datastore if it is empty.

    Attributes:
        seed: `client.collection`.
        documents: How many documents it gets.
        record: One of them as people see it: JSON with `${n}` for its number. In a relational table a
            field that is this number alone is the key, whose numbers the server gives out.
        total: How many there are with those that are only counted;
            0 for no others.
        indexes: Fields of it that get an index each.
    """

    seed: str
    documents: int = Field(gt=0)
    record: str = ""
    total: int = Field(default=0, ge=0)
    indexes: tuple[str, ...] = ()


class RegisterStep(Step):
    """Make the process known under a name at a registry.

    Attributes:
        register_at: The client of the registry, written `register` in YAML.
        name: The name under which callers look it up.
        port: The port it announces; its address is the pod's.
    """

    register_at: str = Field(alias="register")
    name: Text
    port: Text


class ListenStep(Step):
    """Open a listener; fails when the port is taken in this pod."""

    listen: str


class WaitStep(Step):
    """Let seconds pass."""

    wait_s: Text


class GrowStep(Step):
    """Let the memory grow to its base, and log it on the way.

    Attributes:
        grow: The line, in which `${n}` is how much has been reached.
        each_mib: After how many MiB it is written.
    """

    grow: Line
    each_mib: int = Field(gt=0)


class RunStep(Step):
    """Do an operation of the program itself, again and again: the work of a batch program.

    Fails when more of it has failed than it tolerates, with the error of most of those.

    Attributes:
        run: The operation; its `listener` may be `""`.
        times: How often; a number or a setting.
        rate: How often a second; a number or a setting.
        tolerates: Fraction that may fail.
    """

    run: str
    times: Text
    rate: Text = "1"
    tolerates: float = Field(default=0.0, ge=0, le=1)


class ExitStep(Step):
    """End the process with a code."""

    exit: Text


_VERBS = (
    "log",
    "read",
    "require",
    "dial",
    "query",
    "seed",
    "register",
    "listen",
    "wait_s",
    "grow",
    "run",
    "exit",
)


def _verb(value: Any) -> str | None:
    if isinstance(value, dict):
        found = [verb for verb in _VERBS if verb in value]
        return found[0] if len(found) == 1 else None
    return next((verb for verb in _VERBS if hasattr(value, verb)), "register")


AnyStep = Annotated[
    Annotated[LogStep, Tag("log")]
    | Annotated[ReadStep, Tag("read")]
    | Annotated[RequireStep, Tag("require")]
    | Annotated[DialStep, Tag("dial")]
    | Annotated[QueryStep, Tag("query")]
    | Annotated[SeedStep, Tag("seed")]
    | Annotated[RegisterStep, Tag("register")]
    | Annotated[ListenStep, Tag("listen")]
    | Annotated[WaitStep, Tag("wait_s")]
    | Annotated[GrowStep, Tag("grow")]
    | Annotated[RunStep, Tag("run")]
    | Annotated[ExitStep, Tag("exit")],
    Discriminator(
        _verb,
        custom_error_type="step",
        custom_error_message=f"a step has exactly one verb of: {', '.join(_VERBS)}",
    ),
]
