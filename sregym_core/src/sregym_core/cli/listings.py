"""`sregym problems`, `sregym show`, `sregym plugins`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode

if TYPE_CHECKING:
    import argparse

    from sregym_core.conductor import ComponentFactory
    from sregym_core.model import Problem
    from sregym_core.plugins import PluginStatus


class Problems(Subcommand):
    """Lists problems."""

    name: ClassVar[str] = "problems"
    summary: ClassVar[str] = "list problems"

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        parser.add_argument("--suite", default="", metavar="NAME", help="only those of a suite")
        parser.add_argument("--json", action="store_true", help="as JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Print them."""
        from sregym_core.conductor import ComponentFactory
        from sregym_core.model.suites import suites_of

        factory = ComponentFactory(self.settings)
        for reasons in factory.problems.left_out().values():
            for reason in reasons:
                self.console.note(f"left out: {reason}")
        known = factory.problems
        problems = known.in_suite(arguments.suite) if arguments.suite else known.all()
        if arguments.json:
            self.console.json([_listed(problem) for problem in problems])
            return ExitCode.DONE
        rows = [
            (
                problem.id,
                problem.application,
                problem.layer,
                ",".join(suites_of(problem)),
                problem.title,
            )
            for problem in problems
        ]
        self.console.table(("PROBLEM", "APPLICATION", "LAYER", "SUITES", "TITLE"), rows)
        return ExitCode.DONE


class Show(Subcommand):
    """Shows one problem."""

    name: ClassVar[str] = "show"
    summary: ClassVar[str] = "show one problem"

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        parser.add_argument("problem", metavar="PROBLEM", help="problem id")
        parser.add_argument(
            "--reveal", action="store_true", help="with ground truth and reference fix"
        )
        parser.add_argument(
            "--mode", default=None, help="with the instruction of an agent in that mode"
        )
        parser.add_argument("--json", action="store_true", help="as JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Print it."""
        from sregym_core.conductor import ComponentFactory
        from sregym_core.conductor.offline import instruction
        from sregym_core.modes import mode_named

        factory = ComponentFactory(self.settings)
        problem = factory.problems.get(arguments.problem)
        factory.check(problem)
        content = problem.model_dump(mode="json")
        content["plugin"] = factory.problems.owner(problem.id).owner
        if arguments.reveal:
            content["revealed"] = _revealed(factory, problem)
        if arguments.mode is not None:
            mode = mode_named(arguments.mode)
            content["mode"] = mode.name
            content["instruction"] = instruction(factory, problem, mode)
        if arguments.json:
            self.console.json(content)
            return ExitCode.DONE
        fixes = [fix for part in content.get("revealed", ()) for fix in part.pop("reference_fix")]
        told = content.pop("instruction", "")
        self.console.say(_as_yaml(content))
        if told:
            self.console.say(f"\n# What an agent is told:\n{told.rstrip()}")
        if fixes:
            self.console.say("\n# The reference fix, as it would be typed:")
        for fix in fixes:
            self.console.say(fix)
        return ExitCode.DONE


class PluginList(Subcommand):
    """Lists plugins."""

    name: ClassVar[str] = "plugins"
    summary: ClassVar[str] = "list plugins with their state"

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        parser.add_argument("--json", action="store_true", help="as JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Print them, broken and blocked ones in place."""
        from sregym_core.plugins import GROUP, Plugins
        from sregym_core.problems import ProblemSet
        from sregym_core.registry import KINDS, Registry

        plugins = Plugins(self.settings)
        registry = Registry(plugins)
        for kind in KINDS:  # asking makes plugins show what breaks only then
            registry.names(kind)
        defects = registry.defects()
        for name, reasons in ProblemSet(registry).left_out().items():
            defects.setdefault(name, []).extend(reasons)

        def told(status: PluginStatus) -> list[str]:
            return defects.get(status.name, []) if status.group == GROUP else []

        listed = [
            {
                "name": status.name,
                "distribution": status.distribution,
                "version": status.version,
                # One that works in part is in use all the same.
                "state": "broken" if told(status) else status.state,
                "reason": "; ".join(told(status)) or status.reason,
                "hooks": list(status.hooks),
                "components": [*status.components]
                if status.group != GROUP
                else registry.components(status.name),
            }
            for status in plugins.statuses()
        ]
        if arguments.json:
            self.console.json(listed)
            return ExitCode.DONE
        rows = [
            (
                str(entry["name"]),
                f"{entry['distribution']} {entry['version']}",
                str(entry["state"]),
                str(entry["reason"]) or ", ".join(entry["components"]),
            )
            for entry in listed
        ]
        self.console.table(("PLUGIN", "DISTRIBUTION", "STATE", "OFFERS"), rows)
        return ExitCode.DONE


def _listed(problem: Problem) -> dict[str, Any]:
    from sregym_core.model.suites import suites_of

    return {
        "id": problem.id,
        "title": problem.title,
        "application": problem.application,
        "layer": problem.layer,
        "suites": list(suites_of(problem)),
        "modes": [*problem.modes],
        "upstream": problem.upstream or None,
        "source": problem.source or None,
        "faults": [{"fault": ref.fault, "target": ref.target} for ref in problem.faults],
    }


def _as_yaml(content: dict[str, Any]) -> str:
    import yaml

    return str(yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)).rstrip()


def _revealed(factory: ComponentFactory, problem: Problem) -> list[dict[str, Any]]:
    from sregym_core.conductor.offline import ground_truths_and_fixes

    return ground_truths_and_fixes(factory, problem)
