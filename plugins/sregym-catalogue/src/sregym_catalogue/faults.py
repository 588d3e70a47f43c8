"""`sregym faults` and `sregym faults pairs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.cli import Subcommand, reason_of
from sregym_core.errors import ExitCode, PluginError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from sregym_core.api import Workspace
    from sregym_runs import Pair


class Faults(Subcommand):
    """Lists fault primitives, or the targets that each fits."""

    name: ClassVar[str] = "faults"
    summary: ClassVar[str] = "list faults, or all pairs of a fault and a target that it fits"
    examples: ClassVar[tuple[str, ...]] = (
        "sregym faults",
        "sregym faults pairs --json",
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        parser.add_argument("what", nargs="?", choices=["pairs"], help="list all fitting pairs")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Print them; one that cannot be used is named, and the others are listed."""
        from sregym_core.api import Workspace

        workspace = Workspace(self.settings)
        faults = self._usable(workspace, "fault", workspace.factory.fault)
        if arguments.what == "pairs":
            applications = self._usable(
                workspace,
                "application",
                lambda name: workspace.factory.application(name).components(),
            )
            return self._pairs(workspace, faults, applications, arguments.json)
        listed = [_described(workspace, name) for name in faults]
        if arguments.json:
            self.console.json(listed)
            return ExitCode.DONE
        rows = [
            (
                fault["name"],
                fault["layer"],
                ", ".join(fault["takes"]),
                fault["plugin"],
                ", ".join(fault["parameters"]) or "-",
            )
            for fault in listed
        ]
        self.console.table(("FAULT", "LAYER", "TARGETS", "PLUGIN", "PARAMETERS"), rows)
        return ExitCode.DONE

    def _usable(self, workspace: Workspace, kind: str, use: Callable[[str], object]) -> list[str]:
        """Names of those whose plugin's code does not raise; the others are noted with the reason."""
        found = []
        for name in workspace.factory.registry.names(kind):
            try:
                use(name)
            except PluginError as error:
                self.console.note(f"left out: {error}")
            except BaseException as error:
                told = reason_of(error)
                owner = workspace.factory.registry.owner(kind, name).owner
                self.console.note(f"left out: {kind} {name!r} of {owner}: {told}")
            else:
                found.append(name)
        return found

    def _pairs(
        self, workspace: Workspace, faults: list[str], applications: list[str], as_json: bool
    ) -> ExitCode:
        from sregym_runs import pairs

        found = [_pair(one) for one in pairs(faults, applications, workspace=workspace)]
        if as_json:
            self.console.json(found)
            return ExitCode.DONE
        rows = [(pair["fault"], pair["application"], pair["name"]) for pair in found]
        self.console.table(("FAULT", "APPLICATION", "TARGET"), rows)
        return ExitCode.DONE


def _pair(found: Pair) -> dict[str, Any]:
    """A fitting pair; `target` is what a problem file says, `component` only where it is one."""
    from sregym_core.model import ComponentTarget

    target = found.target
    asked = target.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    pair: dict[str, Any] = {"fault": found.fault, "application": found.application}
    if isinstance(target, ComponentTarget):
        choice = target.component
        named = asked if choice.parts else choice.name
        pair |= {"component": choice.name, "kind": "component", "target": named}
    else:
        pair |= {"kind": next(iter(asked), "cluster"), "target": asked or {"cluster": True}}
    return {**pair, "name": str(target)}


def _described(workspace: Workspace, name: str) -> dict[str, Any]:
    fault = workspace.factory.fault(name)
    schema = fault.Parameters.model_json_schema()
    return {
        "name": name,
        "layer": fault.layer,
        "takes": list(fault.takes),
        "needs": list(fault.needs),
        "plugin": workspace.factory.registry.owner("fault", name).name,
        "parameters": schema.get("properties", {}),
    }
