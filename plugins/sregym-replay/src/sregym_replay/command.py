"""`sregym replay`: steps through a recorded episode."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.cli import Subcommand, counted
from sregym_core.errors import ExitCode, UsageError
from sregym_runs import options

if TYPE_CHECKING:
    import argparse

    from sregym_core.api import Workspace
    from sregym_core.model import Problem

    from sregym_replay.story import Moment, Story


class ReplayCommand(Subcommand):
    """Shows an episode step by step, with the world as it stood, and lets anybody play on."""

    name: ClassVar[str] = "replay"
    summary: ClassVar[str] = "step through a recorded episode, and play on from any step"
    examples: ClassVar[tuple[str, ...]] = (
        "sregym replay runs/run-0001/episodes/e0001",
        "sregym replay runs/run-0001/e0001 --step 3 --agent expert",
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Which episode, and how it is shown."""
        parser.add_argument(
            "episode",
            metavar="EPISODE",
            help="folder of the episode (RUN/episodes/e0001 or RUN/e0001)",
        )
        parser.add_argument("--step", metavar="N", type=int, help="only this step; 0 is before all")
        parser.add_argument(
            "--problem", metavar="FILE", help="the problem, where it is of no installed plugin"
        )
        parser.add_argument("--page", metavar="FILE", type=Path, help="write it as a web page")
        parser.add_argument(
            "--agent", metavar="NAME", help="let this agent play on from the step named with --step"
        )
        options.add_agent_options(parser)
        parser.add_argument("--json", action="store_true", help="print JSON, with every answer")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Rebuild it, show it."""
        from sregym_core.api import Workspace
        from sregym_runs import read_recorded

        from sregym_replay.story import Story

        recorded = read_recorded(arguments.episode)
        workspace = Workspace(self.settings)
        story = Story(recorded, _problem(arguments.problem), workspace)
        if arguments.agent is not None:
            return self._play_on(story, workspace, arguments)
        if story.why_not:
            self.console.note(f"only the record is shown: {story.why_not}")
        if arguments.page is None and not arguments.json and arguments.step is None:
            from sregym_replay.terminal import Terminal

            return Terminal(story, self.console, sys.stdin).run()
        if arguments.step is None:
            moments = list(story.moments())
        else:
            moments = [story.moment(arguments.step)]
        if arguments.page is not None:
            self._write(arguments.page, story, moments)
        if arguments.json:
            self.console.json(_told(story, moments))
        elif arguments.page is None:
            from sregym_replay.terminal import lines

            for moment in moments:
                for line in lines(moment, story.length):
                    self.console.say(line)
        else:
            self.console.say(f"{counted(len(moments), 'step')}: open {arguments.page}")
        return ExitCode.DONE if all(moment.same for moment in moments) else ExitCode.FAILED

    def _write(self, path: Path, story: Story, moments: list[Moment]) -> None:
        from sregym_replay.page import page

        try:
            path.write_text(page(story.recorded.record, moments), encoding="utf-8")
        except OSError as error:
            msg = f"{str(path)!r} cannot be written: {error.strerror}; name another with --page"
            raise UsageError(msg) from error

    def _play_on(
        self, story: Story, workspace: Workspace, arguments: argparse.Namespace
    ) -> ExitCode:
        """Let an agent play on where another was."""
        from sregym_core.model import Outcome

        if story.replay is None:
            raise UsageError(story.why_not)
        given = options.named_values(arguments.agent_option, "--agent-option")
        agent = workspace.agent(arguments.agent, given)
        if agent.privileged or agent.served:
            needs = "the answer key" if agent.privileged else "processes outside"
            msg = f"--agent {arguments.agent}: it needs {needs}, which a fork of an episode does not have"
            raise UsageError(msg)
        number = story.length if arguments.step is None else arguments.step
        story.replay.go_to(number)
        with story.replay.fork() as environment:
            environment.act(agent.run)
            record = environment.end()
        done = record.transcript[number:]
        if arguments.json:
            told = {
                "episode": record.episode,
                "from_step": number,
                "agent": arguments.agent,
                "outcome": str(record.outcome),
                "reason": record.reason,
                "stopped": record.stopped,
                "steps": [call.model_dump(mode="json") for call in done],
            }
            self.console.json(told)
        else:
            for place, call in enumerate(done, number + 1):
                self.console.say(f"{place:>4}  {call.at_s:>9g} s  {call.tool}  {_first(call)}")
            self.console.say(f"{record.outcome}: {record.reason}")
        return ExitCode.DONE if record.outcome is Outcome.PASS else ExitCode.FAILED


def _first(call: Any) -> str:
    text = str(next(iter(call.arguments.values()), "")).replace("\n", " ")
    return text if len(text) <= 100 else f"{text[:97]}..."


def _told(story: Story, moments: list[Moment]) -> dict[str, Any]:
    record = story.recorded.record
    return {
        "episode": record.episode,
        "problem": record.problem,
        "agent": record.agent,
        "seed": record.seed,
        "mode": record.mode,
        "outcome": str(record.outcome),
        "reason": record.reason,
        "rebuilt": not story.why_not,
        "why_not": story.why_not,
        "mismatches": [moment.number for moment in moments if not moment.same],
        "steps": [moment.as_json() for moment in moments],
    }


def _problem(name: str | None) -> Problem | None:
    """A problem from a file."""
    return None if name is None else options.problem_of_file(name)
