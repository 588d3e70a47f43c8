"""`sregym difficulty`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.cli import Subcommand, options
from sregym_core.errors import ExitCode, UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sregym_agent_shortcuts.difficulty import Difficulty


class DifficultyCommand(Subcommand):
    """Tells how hard problems are."""

    name: ClassVar[str] = "difficulty"
    summary: ClassVar[str] = "say how hard problems are, and what shortcuts give away"

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        options.add_selection(parser)
        options.add_seed(parser, "of all episodes")
        parser.add_argument("--json", action="store_true", help="as JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Play and print; all problems when none is named."""
        from sregym_core.api import Workspace, problems

        from sregym_agent_shortcuts.difficulty import difficulty

        with Workspace(self.settings) as workspace:
            chosen = (
                options.chosen_problems(workspace.factory, arguments)
                if arguments.problems or arguments.suite
                else problems(workspace=workspace)
            )
            found, failed = [], 0
            for problem in chosen:
                try:
                    found.append(difficulty(problem, workspace, arguments.seed))
                    self.console.note(_line(found[-1]))
                except UsageError as error:
                    # Hours of others are not lost for it.
                    self.console.note(f"{error}; it is left out")
                    failed += 1
        if arguments.json:
            self.console.json([one.as_json() for one in found])
        else:
            self._table(found)
        return ExitCode.FAILED if failed else ExitCode.DONE

    def _table(self, found: Sequence[Difficulty]) -> None:
        from sregym_agent_shortcuts.difficulty import hit_rates

        rows = [
            (
                one.problem,
                str(one.expert_steps),
                "yes" if one.green else "no",
                "yes" if one.playbook else "no",
                ", ".join(one.signals) or "-",
                ", ".join(one.shortcuts) or "-",
            )
            for one in found
        ]
        head = ("PROBLEM", "EXPERT STEPS", "GREEN", "PLAYBOOK", "SIGNALS", "SHORTCUTS")
        self.console.table(head, rows)
        solved = sum(one.playbook for one in found)
        green = sum(one.green for one in found)
        steps = sum(one.expert_steps for one in found) / max(1, len(found))
        chance, rates = hit_rates(found)
        self.console.say(
            f"\n{len(found)} problems, {green} of them green: the playbook finds {solved}, the expert needs "
            f"{steps:.1f} commands in the mean, a draw by lot hits {chance:.1%}\n"
        )
        self.console.table(
            ("SHORTCUT", "HITS", "TIMES CHANCE"),
            [(one.shortcut, f"{one.rate:.1%}", f"{one.times_chance:.1f}") for one in rates],
        )


def _line(one: Difficulty) -> str:
    """What was found out about a problem, told beside the result as soon as it is known."""
    playbook = "the playbook finds it" if one.playbook else "the playbook does not"
    return f"{one.problem}: {playbook}; named by: {', '.join(one.shortcuts) or 'no shortcut'}"
