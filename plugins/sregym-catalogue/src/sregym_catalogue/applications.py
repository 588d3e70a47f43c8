"""`sregym applications`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.cli import Subcommand, first_of, reason_of
from sregym_core.errors import ExitCode, PluginError

if TYPE_CHECKING:
    import argparse

    from sregym_core.api import Workspace
    from sregym_core.interfaces import Application


class Applications(Subcommand):
    """Lists applications."""

    name: ClassVar[str] = "applications"
    summary: ClassVar[str] = "list installed applications with their size"
    examples: ClassVar[tuple[str, ...]] = ("sregym applications --json",)

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        parser.add_argument(
            "--json", action="store_true", help="print JSON, with the names of all operations"
        )

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Print them; one that cannot be used is named, and the others are listed."""
        from sregym_core.api import Workspace

        workspace = Workspace(self.settings)
        listed = [
            entry
            for name in workspace.factory.registry.names("application")
            if (entry := self._entry(workspace, name))
        ]
        if arguments.json:
            self.console.json(listed)
            return ExitCode.DONE
        rows = [
            (
                entry["name"],
                entry["distribution"],
                str(entry["workloads"]),
                str(entry["services"]),
                first_of(entry["operations"]) or "-",
                ", ".join(entry["server_kinds"]) or "-",
            )
            for entry in listed
        ]
        head = (
            "APPLICATION",
            "DISTRIBUTION",
            "WORKLOADS",
            "SERVICES",
            "OPERATIONS",
            "SERVER KINDS",
        )
        self.console.table(head, rows)
        return ExitCode.DONE

    def _entry(self, workspace: Workspace, name: str) -> dict[str, Any] | None:
        """What is told of an application; None where its plugin's code raises, which is said."""
        try:
            application = workspace.factory.application(name)
        except PluginError as error:
            self.console.note(f"left out: {error}")
            return None
        owner = workspace.factory.registry.owner("application", name)
        try:
            return {"name": name, "distribution": owner.distribution, **measures(application)}
        except BaseException as error:
            told = reason_of(error)
        self.console.note(f"left out: application {name!r} of {owner.owner}: {told}")
        return None


def measures(application: Application) -> dict[str, Any]:
    """How large an application is, and what it needs, as the JSON of the listing has it.

    Whatever its manifests hold is counted, the load generator included.
    """
    from sregym_core.model import WORKLOAD_KINDS

    kinds = [obj["kind"] for obj in application.manifests()]
    operations = {one for part in application.components() for one in part.operations}
    return {
        "workloads": sum(kind in WORKLOAD_KINDS for kind in kinds),
        "services": kinds.count("Service"),
        "operations": sorted(operations),
        "server_kinds": list(application.server_kinds()),
    }
