"""What people know of components that manifests do not say: `components.yaml`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import yaml
from pydantic import Field, TypeAdapter, ValidationError
from sregym_core.errors import UsageError
from sregym_core.model import Account, ProgramSetting, TableUse
from sregym_core.model.base import Value
from sregym_core.model.validation import explain

from sregym_apps.table import content_of

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


Build: TypeAlias = Literal[
    "incompatible", "buggy", "leaking", "misreconciling", "fanning-out", "hard-dependency", "skewed"
]


class ComponentNotes(Value):
    """What people know of a component that its manifests do not say.

    Attributes:
        kind: `service`, `datastore`, `cache`, `registry`, `tracing`, `job`, `load` ...
        callers: Names of the components that call it, in order.
        operations: User-visible operations whose requests pass through it.
        accounts: Database accounts it serves.
        tables: Tables or collections of it with keys that the server counts out, or with indexes.
        sessions: Command lines with which people look into it now and then, and which change nothing. A
            fault in a database comes through such a session, which would give it away if it were the only one.
        builds: Other builds of its image that exist, by what is wrong with them: `incompatible` with its
            data or peers, `buggy`, `leaking` memory, `misreconciling` of an operator, `fanning-out` calls,
            with a `hard-dependency` where others do without, `skewed` in its protocol.
        settings: What its program reads when it starts and may be given other values: a variable of the
            environment, or a pattern of its value in the command line, and what it decides.
        registered: Whether its callers find its addresses in a registry: its Service carries nothing.
        replica_set: The name of the set that its pods are the members of, of which one leads.
        workload: Which object it is, `CronJob/report` or `Ledger/main`; empty: the workload of the
            component's name. Needed where several have that name, and for a custom resource.
        container: Name of the container that serves; empty: the first to whose ports its Service
            leads, else the first.
        service: Name of the Service that carries its traffic; empty: the one of the component's
            name, else the first with an address of its own, else the first.
        makes: For a custom resource: the objects that its operator makes of it, as far as faults
            and checks are to know them: workloads with the template of their pods, Services.
    """

    kind: str = "service"
    callers: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    accounts: tuple[Account, ...] = ()
    tables: tuple[TableUse, ...] = ()
    sessions: tuple[Annotated[tuple[str, ...], Field(min_length=1)], ...] = ()
    builds: dict[Build, str] = Field(default_factory=dict)
    settings: tuple[ProgramSetting, ...] = ()
    registered: bool = False
    replica_set: str = ""
    workload: str = Field(default="", pattern=r"^([A-Z]\w*/[a-z0-9][a-z0-9.-]*)?$")
    container: str = ""
    service: str = ""
    makes: tuple[dict[str, Any], ...] = ()


_Notes: TypeAlias = dict[str, ComponentNotes]


def load_notes(file: Traversable) -> dict[str, ComponentNotes]:
    """Read a `components.yaml`: name of the component -> notes.

    Raises:
        UsageError: It is not YAML, or declares what it cannot; with its name and the line or field.
    """
    content, text = content_of(file), ""
    try:
        if content is None:
            text = file.read_text(encoding="utf-8")
            content = yaml.load(text, _Loader)  # noqa: S506 - a safe one
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UsageError(f"{file.name!r}, line {line}: not YAML: {error.problem}") from error
    return notes_from(content, file.name, text)


def notes_from(content: Any, source: str, text: str = "") -> dict[str, ComponentNotes]:
    """As `load_notes`, from what the file would hold.

    Args:
        content: Name of the component -> notes.
        source: Names the file in errors.
        text: Of the file; with it errors name lines.
    """
    try:
        return TypeAdapter(_Notes).validate_python(content)
    except ValidationError as error:
        raise UsageError(f"{source!r}, {explain(error, _Notes, content, text=text)}") from error
