"""`sregym campaign run` and `sregym campaign report`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.cli import Subcommand, counted
from sregym_core.errors import ExitCode, UsageError

if TYPE_CHECKING:
    import argparse

    from sregym_core.api import Workspace

    from sregym_campaign.file import CampaignFile
    from sregym_campaign.plan import Plan
    from sregym_campaign.play import CampaignPlay
    from sregym_campaign.store import Store


class CampaignCommand(Subcommand):
    """Plays and reports campaigns."""

    name: ClassVar[str] = "campaign"
    summary: ClassVar[str] = "run, resume and report many episodes that a file plans"
    examples: ClassVar[tuple[str, ...]] = (
        "sregym campaign run campaign.yaml --check",
        "sregym campaign run campaign.yaml --jobs 4",
        "sregym campaign report campaigns/small",
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """`run FILE` and `report FOLDER`."""
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB", help="what to do")
        run = verbs.add_parser(
            "run",
            help="run the episodes that a file plans, or resume them",
            epilog=f"example: {self.examples[1]}",
        )
        run.add_argument("file", type=Path, metavar="FILE", help="the plan, YAML")
        run.add_argument(
            "--out",
            metavar="FOLDER",
            default="",
            help="folder or fsspec URL of the records (default: what the file says, else campaigns/NAME)",
        )
        run.add_argument("--jobs", type=int, metavar="N", help="episodes at once")
        run.add_argument("--check", action="store_true", help="validate the plan; play nothing")
        run.add_argument("--json", action="store_true", help="print JSON")
        report = verbs.add_parser(
            "report",
            help="write the HTML report of a campaign",
            epilog=f"example: {self.examples[2]}",
        )
        report.add_argument("folder", metavar="FOLDER", help="folder or URL of the campaign")
        report.add_argument(
            "--difficulty",
            type=Path,
            metavar="FILE",
            help="what `sregym difficulty --json` has printed, to split by",
        )
        report.add_argument("--json", action="store_true", help="print JSON: all figures")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Do what the verb says."""
        if arguments.verb == "report":
            return self._report(arguments)
        return self._run(arguments)

    # ------------------------------------------------------------------ run

    def _run(self, arguments: argparse.Namespace) -> ExitCode:
        from sregym_core.api import Workspace

        from sregym_campaign.file import read
        from sregym_campaign.store import Store

        file = read(arguments.file)
        if arguments.jobs is not None:
            if arguments.jobs < 1:
                raise UsageError(f"--jobs {arguments.jobs}: give a number from 1 on")
            runner = file.runner.model_copy(update={"jobs": arguments.jobs})
            file = file.model_copy(update={"runner": runner})
        workspace = Workspace(self.settings)
        url = arguments.out or file.records or f"campaigns/{file.name}"
        store = Store(url)
        plan = self._plan(file, arguments.file, workspace, store)
        if arguments.check:
            told = {"campaign": file.name, "episodes": len(plan.cells)}
            if arguments.json:
                self.console.json(told)
            else:
                self.console.say(
                    f"{file.name}: {counted(len(plan.cells), 'episode')} can be played"
                )
            return ExitCode.DONE
        store.claim()
        try:
            # Another process may have begun, and even ended, while this one looked at its file.
            kept = store.plan()
            if kept is not None and kept.salt != plan.salt:
                plan = self._plan(file, arguments.file, workspace, store)
            return self._play(file, plan, workspace, store, as_json=arguments.json)
        finally:
            store.release()

    def _plan(self, file: CampaignFile, path: Path, workspace: Workspace, store: Store) -> Plan:
        """The plan that is gone on with, or a new one; both are validated."""
        import secrets

        from sregym_campaign.plan import planned

        kept = store.plan()
        if kept is not None and kept.digest != file.digest:
            msg = (
                f"{store.url!r} holds another campaign, {kept.name!r}; choose another place with --out, "
                "or go on with the file that it was begun with"
            )
            raise UsageError(msg)
        salt = kept.salt if kept is not None else secrets.token_hex(32)
        made = planned(file, path, workspace, salt)
        if kept is None:
            return made
        for name, version in kept.plugins.items():
            now = made.plugins.get(name, "none")
            if now != version:
                self.console.note(f"warning: begun with {name} {version}, now it is {now}")
        return kept

    def _play(
        self, file: CampaignFile, plan: Plan, workspace: Workspace, store: Store, *, as_json: bool
    ) -> ExitCode:
        import sys
        from contextlib import redirect_stdout

        from rich.console import Console as Terminal

        from sregym_campaign.play import CampaignPlay
        from sregym_campaign.progress import ProgressDisplay

        if store.plan() is None:
            store.write_plan(plan)
        registry = workspace.factory.registry
        runner = registry.make("runner", file.runner.name, file.runner.jobs, file.runner.options)
        # What runners and their libraries print is not the result.
        with redirect_stdout(sys.stderr), ProgressDisplay(Terminal(file=sys.stderr)) as display:
            play = CampaignPlay(plan, file, store, runner, display.told)
            play.recall()
            if plan.finished and play.state.open():
                plan = store.redact(plan)
            try:
                complete = play.run()
            except KeyboardInterrupt:
                self.console.note(f"interrupted; the same command goes on with it: {store.url}")
                return ExitCode.INTERRUPTED
        for one in play.damaged:
            self.console.note(f"warning: record {one.file!r} was set aside: {one.why}")
        if complete:
            store.reveal(plan.model_copy(update={"finished": True}))
        told = _summary(play, store.url, complete=complete)
        if as_json:
            self.console.json(told)
        else:
            self._say(told)
        good = complete and told["left"] == 0 and told["given_up"] == 0
        return ExitCode.DONE if good else ExitCode.FAILED

    def _say(self, told: dict[str, Any]) -> None:
        rows = [
            (
                name,
                *(f"{mine[stage]} of {mine['graded']}" for stage in _STAGES),
                str(mine["errors"]),
            )
            for name, mine in told["agents"].items()
        ]
        self.console.table(("agent", *_STAGES, "errors"), rows)
        spent = f"{told['tokens']:,} tokens, {told['cost']:.2f} money"
        self.console.say(
            f"{told['played']} of {told['episodes']} episodes, {told['given_up']} given up, {spent}"
        )
        for kind, number in told["tries"].items():
            self.console.say(f"  {kind}: {number}")
        if told["left"]:
            self.console.say(f"the budget ended before {told['left']} episodes; raise it and go on")
        self.console.say(f"records: {told['records']}")

    # ------------------------------------------------------------------ report

    def _report(self, arguments: argparse.Namespace) -> ExitCode:
        from sregym_core.api import Workspace

        from sregym_campaign.content import collected
        from sregym_campaign.difficulty import classes
        from sregym_campaign.report import render
        from sregym_campaign.store import Store
        from sregym_statistics import summarise

        difficulty = classes(arguments.difficulty) if arguments.difficulty else {}
        content = collected(arguments.folder, Workspace(self.settings), difficulty)
        figures = summarise(content.facts, quiet_noise=content.quiet)
        for one in content.damaged:
            self.console.note(
                f"warning: record {one.file!r} is left out: {one.why}; "
                "`sregym campaign run` sets it aside and plays it again"
            )
        # A run has a report of its own, which tells other things.
        name = "report.html" if content.plan is not None else "statistics.html"
        page = Store(arguments.folder).write(name, render(content, figures))
        if arguments.json:
            damaged = [{"file": one.file, "why": one.why} for one in content.damaged]
            self.console.json(
                {"report": page, "missing": content.missing, "damaged": damaged, **figures}
            )
        else:
            self.console.say(f"report: {page}")
        return ExitCode.DONE


_STAGES = ("diagnosis", "mitigation", "e2e")


def _summary(play: CampaignPlay, url: str, *, complete: bool) -> dict[str, Any]:
    from sregym_campaign.tries import SETTLED
    from sregym_statistics import facts_of

    state, plan = play.state, play.state.plan
    agents: dict[str, dict[str, int]] = {
        name: {"episodes": 0, "graded": 0, **dict.fromkeys(_STAGES, 0), "errors": 0, "undecided": 0}
        for name in plan.agents
    }
    played = given_up = 0
    for cell in plan.cells:
        settled = [one for one in state.tries.get(cell.id, []) if one.kind in SETTLED]
        mine = agents[cell.agent]
        mine["episodes"] += 1
        if not settled:
            gone = state.settled(cell.id)
            given_up += gone
            mine["errors"] += gone
            continue
        played += 1
        record = settled[0].record
        facts = None if record is None else facts_of(record)
        if facts is not None and facts.graded:
            mine["graded"] += 1
            mine["undecided"] += facts.undecided
            for stage in _STAGES:
                mine[stage] += getattr(facts, stage) is True
    return {
        "campaign": plan.name,
        "records": url,
        "episodes": len(plan.cells),
        "played": played,
        "given_up": given_up,
        "left": len(state.open()),
        "complete": complete,
        "tries": {str(kind): number for kind, number in sorted(state.kinds().items())},
        "tokens": state.tokens,
        "cost": state.cost,
        "agents": agents,
        "set_aside": [{"file": one.file, "why": one.why} for one in play.damaged],
    }
