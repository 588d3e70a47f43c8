"""`sregym faults` and `sregym faults pairs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode

if TYPE_CHECKING:
    import argparse

    from sregym_core.conductor import Bench


class Faults(Subcommand):
    """Lists fault primitives, or the components that each fits."""

    name: ClassVar[str] = "faults"
    summary: ClassVar[str] = "list fault primitives, or all fitting pairs with components"

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        parser.add_argument("what", nargs="?", choices=["pairs"], help="list all fitting pairs")
        parser.add_argument("--json", action="store_true", help="as JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Print them."""
        from sregym_core.conductor import Bench

        bench = Bench(self.settings)
        if arguments.what == "pairs":
            return self._pairs(bench, arguments.json)
        listed = [_described(bench, name) for name in bench.registry.names("fault")]
        if arguments.json:
            self.console.json(listed)
            return ExitCode.DONE
        rows = [
            (fault["name"], fault["layer"], fault["plugin"], ", ".join(fault["parameters"]) or "-")
            for fault in listed
        ]
        self.console.table(("FAULT", "LAYER", "PLUGIN", "PARAMETERS"), rows)
        return ExitCode.DONE

    def _pairs(self, bench: Bench, as_json: bool) -> ExitCode:
        pairs = [
            {"fault": fault_name, "application": application_name, "component": component.name}
            for fault_name in bench.registry.names("fault")
            for application_name in bench.registry.names("application")
            for component in bench.application(application_name).components()
            if bench.fault(fault_name).fits(component)
        ]
        if as_json:
            self.console.json(pairs)
            return ExitCode.DONE
        rows = [(pair["fault"], pair["application"], pair["component"]) for pair in pairs]
        self.console.table(("FAULT", "APPLICATION", "COMPONENT"), rows)
        return ExitCode.DONE


def _described(bench: Bench, name: str) -> dict[str, Any]:
    fault = bench.fault(name)
    schema = fault.Parameters.model_json_schema()
    return {
        "name": name,
        "layer": fault.layer,
        "plugin": bench.registry.owner("fault", name).name,
        "parameters": schema.get("properties", {}),
    }
