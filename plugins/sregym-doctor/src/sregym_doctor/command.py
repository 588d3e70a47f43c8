"""`sregym doctor`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode
from sregym_runs import options

if TYPE_CHECKING:
    import argparse

    from sregym_core.api import Workspace
    from sregym_core.interfaces import Finding


class Doctor(Subcommand):
    """Says what is missing."""

    name: ClassVar[str] = "doctor"
    summary: ClassVar[str] = "check what this machine or a cluster lacks"
    examples: ClassVar[tuple[str, ...]] = (
        "sregym doctor",
        "sregym doctor --cluster kubeconfig --node worker-1",
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        options.add_cluster(parser)
        parser.add_argument(
            "--node",
            nargs="?",
            const="",
            metavar="NAME",
            help="try which faults can be injected on a node, by which back end, and say why not; "
            "without a name and --cluster this machine",
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Look at everything and print it."""
        from sregym_core.api import Workspace

        workspace = Workspace(self.settings)
        if arguments.node is not None:
            return self._node(workspace, arguments)
        name, cluster_options = options.cluster_choice(arguments.cluster)
        findings = [
            *_machine(workspace),
            *workspace.factory.provider(name).examine(cluster_options),
        ]
        good = all(finding.ok for finding in findings)
        if arguments.json:
            self.console.json({"ok": good, "findings": [vars(finding) for finding in findings]})
        else:
            for finding in findings:
                mark = "ok     " if finding.ok else "MISSING"
                self.console.say(f"{mark}  {finding.subject}: {finding.detail}".rstrip(": "))
                if not finding.ok and finding.advice:
                    self.console.say(f"         {finding.advice}")
        return ExitCode.DONE if good else ExitCode.FAILED

    def _node(self, workspace: Workspace, arguments: argparse.Namespace) -> ExitCode:
        from sregym_doctor.back_ends import on_node, reasons

        node, rows = on_node(workspace, arguments.cluster, arguments.node)
        good = all(row.works for row in rows)
        if arguments.json:
            self.console.json({"ok": good, "node": node, "faults": [row.as_data() for row in rows]})
            return ExitCode.DONE if good else ExitCode.FAILED
        self.console.say(f"node {node}")
        cells = [(row.fault, row.setting, row.told) for row in rows]
        self.console.table(("FAULT", "SETS", "BACK ENDS"), cells)
        for number, reason in enumerate(reasons(rows), start=1):
            self.console.say(f"[{number}] {reason}")
        return ExitCode.DONE if good else ExitCode.FAILED


def _machine(workspace: Workspace) -> list[Finding]:
    from sregym_core.interfaces import Finding

    version = ".".join(map(str, sys.version_info[:3]))
    findings = [
        Finding("python", sys.version_info >= (3, 11), version, "install Python 3.11 or newer")
    ]
    for status in workspace.factory.plugins.statuses():
        if status.state != "blocked":
            good = status.state == "ok"
            detail = status.owner if good else status.reason
            advice = f"pip install --upgrade {status.distribution}"
            findings.append(Finding(f"plugin {status.name}", good, detail, advice))
    return findings
