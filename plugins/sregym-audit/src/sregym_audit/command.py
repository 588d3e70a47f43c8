"""`sregym audit`: what an agent did in an episode."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.cli import Subcommand, counted
from sregym_core.errors import ExitCode

if TYPE_CHECKING:
    import argparse


class Audit(Subcommand):
    """Lists what an agent did, and writes it down for other programs."""

    name: ClassVar[str] = "audit"
    summary: ClassVar[str] = "list every action of an agent in an episode"
    examples: ClassVar[tuple[str, ...]] = ("sregym audit runs/run-0001/episodes/e0001",)

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        parser.add_argument(
            "episode", type=Path, metavar="EPISODE", help="folder of an episode, or its record.json"
        )
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument(
            "--atif", type=Path, metavar="FILE", help="also write the trajectory in ATIF"
        )

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Read the record and tell."""
        from sregym_core.sealing import replace_file
        from sregym_rollouts import trajectory
        from sregym_runs import read_recorded

        from sregym_audit.account import audit

        record = read_recorded(arguments.episode).record
        if arguments.atif is not None:
            text = json.dumps(trajectory(record), indent=2, sort_keys=True)
            replace_file(arguments.atif, f"{text}\n".encode())
        account = audit(record)
        if arguments.json:
            self.console.json(account)
        else:
            self._tell(account)
        return ExitCode.DONE

    def _tell(self, account: dict[str, Any]) -> None:
        rows = [
            (
                str(call["number"]),
                f"{call['at_s']:g}",
                call["class"],
                call["tool"],
                "" if call["ok"] else "failed",
                _shown(call["arguments"]),
            )
            for call in account["calls"]
        ]
        self.console.table(("NO", "AT S", "CLASS", "TOOL", "", "ARGUMENTS"), tuple(rows))
        used = _counted(account["classes"])
        looks = account["reads_before_first_write"]
        self.console.say(f"\n{account['steps']} calls: {used or 'none'}")
        if account["subcommands"]:
            self.console.say(f"kubectl: {_counted(account['subcommands'])}")
        if looks is not None:
            self.console.say(f"{looks} looks before the first change")
        tokens = account["tokens"]
        if tokens is not None:
            message = f"{tokens['prompt']} in, {tokens['cached']} of them cached"
            self.console.say(f"tokens: {message}, {tokens['completion']} out")
        if account["stopped"]:
            self.console.say(f"stopped: {account['stopped']}")
        tried = account["attempts"]
        if tried:
            self.console.say(f"\n{counted(len(tried), 'attempt')} at what is not the agent's:")
            shown = [
                (f"{one['at_s']:g}", one["via"], _cut(one["what"]), _cut(one["answer"]))
                for one in tried
            ]
            self.console.table(("AT S", "VIA", "WHAT", "ANSWER"), tuple(shown))


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count)


def _shown(arguments: dict[str, Any]) -> str:
    return _cut(", ".join(str(value) for value in arguments.values()))


def _cut(text: str) -> str:
    text = text.replace("\n", " ")
    return text if len(text) <= 100 else f"{text[:97]}..."
