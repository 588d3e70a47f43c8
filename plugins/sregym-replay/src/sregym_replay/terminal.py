"""An episode in a terminal: one key and Enter for each move, lines of input alike for scripts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TextIO

from sregym_core.errors import ExitCode, SregymError, UsageError

if TYPE_CHECKING:
    from sregym_core.api import Environment
    from sregym_core.cli import Console

    from sregym_replay.story import Moment, Story

# So many lines of an answer are shown until all are asked for.
SHOWN = 24
HELP = "Enter: next, b: back, N: step N, a: the whole answer, f: fork here and play on, q: quit"
FORK_HELP = "a line of kubectl; TOOL {JSON}; submit TEXT; end: grade and come back; drop: come back"


def lines(moment: Moment, length: int, most: int | None = None) -> list[str]:
    """One moment in words, with at most so many lines of each answer."""
    told = [f"--- step {moment.number} of {length}"]
    call = moment.call
    if call is not None:
        if call.said:
            told += [f"# {line}" for line in call.said.splitlines()]
        told.append(f"$ {command(call.tool, call.arguments)}")
        told += _cut(call.output, most)
        if not moment.same:
            told.append("!!! the answer differs from the record; played again it is:")
            told += _cut(moment.answer_now or "", most)
    if moment.world is not None:
        told += [f"| {line}" for line in moment.world.lines()]
    return told


def command(tool: str, arguments: dict[str, object]) -> str:
    """A call as one would type it here."""
    if tool == "kubectl" and set(arguments) == {"command"}:
        text = str(arguments["command"])
        return text if text.startswith("kubectl") else f"kubectl {text}"
    if tool == "submit":
        return f"submit {arguments.get('text', '')}"
    return f"{tool} {json.dumps(arguments)}" if arguments else tool


def _cut(text: str, most: int | None) -> list[str]:
    found = text.rstrip("\n").splitlines()
    if most is None or len(found) <= most:
        return found
    return [*found[:most], f"... {len(found) - most} more lines (a: all)"]


class Terminal:
    """Steps through a story.

    Args:
        story: What is told.
        console: Where to.
        keys: Where moves are read from; its end is as `q`.
    """

    def __init__(self, story: Story, console: Console, keys: TextIO) -> None:
        self._story = story
        self._console = console
        self._keys = keys
        self._differs: set[int] = set()

    def run(self) -> ExitCode:
        """Read moves until there are no more."""
        record = self._story.recorded.record
        about = f"episode {record.episode}: {record.problem}, {record.agent}, seed {record.seed}"
        self._console.say(f"{about}: {record.outcome}")
        self._console.say(HELP)
        moment = self._show(0)
        while (move := self._read("> ")) not in (None, "q"):
            try:
                moment = self._move(moment, str(move))
            except UsageError as error:
                self._console.say(str(error))
        return ExitCode.FAILED if self._differs else ExitCode.DONE

    def _move(self, moment: Moment, move: str) -> Moment:
        if move == "":
            if moment.number == self._story.length:
                self._console.say("that was the last step")
                return moment
            return self._show(moment.number + 1)
        if move == "b":
            return self._show(max(0, moment.number - 1))
        if move.isdecimal():
            return self._show(int(move))
        if move == "a":
            return self._show(moment.number, None)
        if move == "f":
            self._fork(moment)
            return moment
        self._console.say(f"no move {move!r}; {HELP}")
        return moment

    def _show(self, number: int, most: int | None = SHOWN) -> Moment:
        moment = self._story.moment(number)
        if not moment.same:
            self._differs.add(number)
        for line in lines(moment, self._story.length, most):
            self._console.say(line)
        return moment

    def _fork(self, moment: Moment) -> None:
        replay = self._story.replay
        if replay is None:
            raise UsageError(f"no fork: {self._story.why_not}")
        replay.go_to(moment.number)
        self._console.say(FORK_HELP)
        with replay.fork() as environment:
            while (line := self._read(f"fork of {moment.number}> ")) not in (None, "drop"):
                if line == "end":
                    record = environment.end()
                    self._console.say(f"{record.outcome}: {record.reason}")
                    return
                try:
                    self._console.say(_act(environment, str(line)))
                except SregymError as error:
                    self._console.say(str(error))

    def _read(self, prompt: str) -> str | None:
        self._console.note(prompt)
        line = self._keys.readline()
        return line.strip() if line else None


def _act(environment: Environment, line: str) -> str:
    """What a line does in a fork."""
    name, _, rest = line.partition(" ")
    tools = {tool.name for tool in environment.session.tools}
    if name == "submit":
        return environment.submit(rest).text
    if name == "kubectl" or name not in tools:
        return environment.call("kubectl", {"command": line}).text
    try:
        given = json.loads(rest or "{}")
    except ValueError as error:
        msg = f"{name}: its arguments are an object of JSON, like {{}}: {error}"
        raise UsageError(msg) from error
    if not isinstance(given, dict):
        msg = f"{name}: its arguments are an object of JSON, like {{}}"
        raise UsageError(msg)
    return environment.call(name, given).text
