"""The service model of one application: what its images hold and how its programs behave."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, TypeAlias, Union, get_args

from pydantic import Discriminator, Field, SerializeAsAny, Tag, create_model

from sregym_apps.model.admission import AdmissionProgram
from sregym_apps.model.base import Entry
from sregym_apps.model.image import Image
from sregym_apps.model.ingress import IngressProgram
from sregym_apps.model.nameserver import NameServerProgram
from sregym_apps.model.nodeproxy import NodeProxyProgram, NodeRouterProgram
from sregym_apps.model.proxy import ProxyProgram
from sregym_apps.model.service import Program, ServiceProgram
from sregym_apps.model.workload import LoadGeneratorProgram

# The type of pydantic's error for a program whose `kind` no distribution offers.
UNKNOWN_KIND = "kind"

# Programs that need no kind of server of their own.
GENERIC_PROGRAMS: tuple[type[Program], ...] = (
    ServiceProgram,
    NameServerProgram,
    IngressProgram,
    ProxyProgram,
    NodeProxyProgram,
    NodeRouterProgram,
    AdmissionProgram,
    LoadGeneratorProgram,
)
# The program of any kind, as a model that has been read holds it.
AnyProgram: TypeAlias = Program


class EntryPoint(Entry):
    """A request by which users meet the application.

    Attributes:
        service: Kubernetes Service it goes to.
        port: Port of that Service.
        request: Method and path: `GET /hotels?lat=38.0`.
    """

    service: str
    port: int = Field(ge=1, le=65535)
    request: str = Field(pattern=r"^[A-Z]+ /\S*$")


class ServiceModel(Entry):
    """One application as its cluster sees it.

    Attributes:
        application: Name of the application.
        images: What the registry has.
        programs: Name -> behaviour; images say which binary is which program.
        entry_points: Name -> request of a user.
        namespaces: Where its images are its own, if another model of the cluster knows them, too; a
            cluster takes those of the application where none is given.
        vocabulary: Further YAML anchors may stand here; nothing reads it.
    """

    application: str
    images: tuple[Image, ...] = ()
    programs: dict[str, SerializeAsAny[Program]] = Field(default_factory=dict)
    entry_points: dict[str, EntryPoint] = Field(default_factory=dict)
    namespaces: tuple[str, ...] = ()
    vocabulary: dict[str, Any] = Field(default_factory=dict)

    def in_namespaces(self, names: tuple[str, ...]) -> ServiceModel:
        """The same, whose images are its own in these namespaces unless it names others."""
        return self if self.namespaces else self.model_copy(update={"namespaces": names})

    @property
    def server_kinds(self) -> tuple[str, ...]:
        """Names of the kinds of servers that its programs are of, sorted; extensions offer them."""
        generic = set(map(kind_of, GENERIC_PROGRAMS))
        return tuple(sorted({kind_of(type(one)) for one in self.programs.values()} - generic))


def kind_of(program: type[Program]) -> str:
    """The word that stands for a program in a service model: what its `kind` may be."""
    (kind,) = get_args(program.model_fields["kind"].annotation)
    return str(kind)


@lru_cache(maxsize=64)
def model_of(programs: tuple[type[Program], ...]) -> type[ServiceModel]:
    """The form of service models whose programs are of these classes."""
    known = {kind_of(program): program for program in programs}

    def kind(value: Any) -> str | None:
        named = value.get("kind", "service") if isinstance(value, dict) else value.kind
        return named if named in known else None

    members: Any = tuple(Annotated[program, Tag(name)] for name, program in known.items())
    union: Any = Annotated[
        Union[members],  # noqa: UP007 - made from a tuple
        Discriminator(
            kind, custom_error_type=UNKNOWN_KIND, custom_error_message="there is no such kind"
        ),
    ]
    return create_model(
        "ServiceModel",
        __base__=ServiceModel,
        __module__=__name__,
        programs=(dict[str, union], Field(default_factory=dict)),
    )
