"""Many more connections than requests need, which their clients keep open."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field
from sregym_injectors.settings import SettingParameters, settings_of
from typing_extensions import override

from sregym_injector_load.rates import LoadFault

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import ProgramSetting


class Connections(LoadFault):
    """Lets the load generator keep many connections open for the same requests."""

    name: ClassVar[str] = "connections-held"
    title: ClassVar[str] = "Clients keep far too many connections open"
    layer: ClassVar[str] = "os"
    roles: ClassVar[tuple[str, ...]] = ("connections",)
    lacking: ClassVar[str] = "none of its settings says how many connections it keeps open"
    mechanism: ClassVar[str] = "connections-held"
    phrases: ClassVar[tuple[str, ...]] = (
        "too many connections",
        "idle connections",
        "connections are held open",
        "connection flood",
        "clients keep connections open",
        "number of connections of the load generator",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("too many open files", "requests time out")
    expected: ClassVar[str] = "as many connections as the manifest says"

    class Parameters(SettingParameters):
        """Parameters.

        Attributes:
            number: How many it keeps open.
        """

        number: int = Field(default=4000, ge=2)

    @override
    def wrong(self, context: FaultContext) -> dict[ProgramSetting, str]:
        number = str(context.parameters.number)
        return dict.fromkeys(settings_of(context.component, *self.roles), number)
