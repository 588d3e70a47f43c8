"""`sregym difficulty`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.cli import Subcommand, counted
from sregym_core.errors import ExitCode, SregymError, UsageError
from sregym_runs import options

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sregym_core.api import Problem, Workspace

    from sregym_agent_shortcuts.chance import Draw
    from sregym_agent_shortcuts.difficulty import Difficulty


class DifficultyCommand(Subcommand):
    """Tells how hard problems are."""

    name: ClassVar[str] = "difficulty"
    summary: ClassVar[str] = "measure how hard problems are, and what shortcuts give away"
    examples: ClassVar[tuple[str, ...]] = (
        "sregym difficulty missing_service_hotel_reservation",
        "sregym difficulty --suite lite --shortcuts",
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        options.add_selection(parser)
        options.add_seed(parser, "of all episodes")
        parser.add_argument(
            "--shortcuts",
            action="store_true",
            help="only how often each shortcut is right, by one survey of each world",
        )
        parser.add_argument(
            "--spread",
            type=options.positive,
            default=1,
            metavar="N",
            help="with --shortcuts: play each problem with one of N seeds, from --seed on (default: 1)",
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Play and print; all problems when none is named."""
        from sregym_core.api import Workspace, problems

        if arguments.spread > 1 and not arguments.shortcuts:
            msg = "difficulty, --spread: seeds are drawn for shortcuts alone; add --shortcuts"
            raise UsageError(msg)
        with Workspace(self.settings) as workspace:
            chosen = (
                options.chosen_problems(workspace.factory, arguments)
                if arguments.problems or arguments.suite
                else problems(workspace=workspace)
            )
            if arguments.shortcuts:
                return self._shortcuts(chosen, workspace, arguments)
            return self._difficulties(chosen, workspace, arguments)

    def _difficulties(
        self, chosen: Sequence[Problem], workspace: Workspace, arguments: argparse.Namespace
    ) -> ExitCode:
        from sregym_agent_shortcuts.difficulty import difficulty

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

    def _shortcuts(
        self, chosen: Sequence[Problem], workspace: Workspace, arguments: argparse.Namespace
    ) -> ExitCode:
        from sregym_agent_shortcuts.chance import hit_rates, spread_seed, surveyed

        found, failed = [], 0
        plays = [(one, spread_seed(one.id, arguments.seed, arguments.spread)) for one in chosen]
        # Warm worlds are kept for the next problem of the same application and seed.
        for problem, seed in sorted(plays, key=lambda play: (play[0].application, play[1])):
            try:
                found.append(surveyed(problem, workspace, seed))
            except SregymError as error:
                self.console.note(f"{error}; seed {seed} of {problem.id} is left out")
                failed += 1
        if arguments.json:
            chance, rates = hit_rates(found)
            counted = sum(one.chance > 0 for one in found)
            rows = [one.as_json() for one in rates]
            self.console.json({"worlds": counted, "chance": round(chance, 4), "shortcuts": rows})
        else:
            self._rates(found)
        return ExitCode.FAILED if failed else ExitCode.DONE

    def _table(self, found: Sequence[Difficulty]) -> None:
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
        self.console.say(
            f"\n{counted(len(found), 'problem')}, {green} of them green: the playbook finds {solved}, the expert needs "
            f"{steps:.1f} commands in the mean\n"
        )
        self._rates([one.draw for one in found])

    def _rates(self, found: Sequence[Draw]) -> None:
        from sregym_agent_shortcuts.chance import hit_rates

        chance, rates = hit_rates(found)
        counted = sum(one.chance > 0 for one in found)
        self.console.say(f"{counted} worlds with a broken part: a draw by lot hits {chance:.1%}\n")
        rows = [
            (one.shortcut, f"{one.rate:.1%}", f"{one.times_chance:.2f}", f"{one.error:.2f}")
            for one in rates
        ]
        self.console.table(("SHORTCUT", "HITS", "TIMES CHANCE", "STANDARD ERROR"), rows)


def _line(one: Difficulty) -> str:
    """What was found out about a problem, told beside the result as soon as it is known."""
    playbook = "the playbook finds it" if one.playbook else "the playbook does not"
    return f"{one.problem}: {playbook}; named by: {', '.join(one.shortcuts) or 'no shortcut'}"
