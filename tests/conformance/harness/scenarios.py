"""Scenarios: commands that were typed at a real cluster, typed again."""

from __future__ import annotations

import copy
import difflib
import re
import tempfile
import traceback
from pathlib import Path
from typing import Any, Protocol

from harness.cluster import Answer, Shell, fresh_world
from harness.recordings import Comparable, Rules, load
from harness.results import Failure, Result

FREEZE = re.compile(r"the kubelet of (\S+) (is frozen|goes on)")


class Beside(Protocol):
    """What looks on while commands are typed."""

    def before(self, shell: Shell, step: dict[str, Any]) -> None:
        """The command of a step is about to be typed."""

    def after(self, step: dict[str, Any], answer: Answer) -> None:
        """It was answered."""


def replay(path: Path, rules: Rules, beside: Beside | None = None) -> Result:
    """Replay one scenario on a cluster of its own."""
    recording = load(path)
    played, notes = play(recording, beside)
    result = Result(area=recording["area"], name=recording["id"])
    numbers = [number for number, step in enumerate(recording["steps"]) if "run" in step]
    wanted, got = rules(recording), rules(played)
    for number, one, other in zip(numbers, wanted, got, strict=True):
        result.total += 1
        if same(one, other):
            result.matched += 1
            continue
        difference = [*notes.get(number, ()), *differences(one, other)]
        result.failures.append(Failure(number, one.command, tuple(difference)))
    return result


def same(wanted: Comparable, got: Comparable) -> bool:
    """Whether an answer counts as the recorded one."""
    if wanted.exit_code != got.exit_code:
        return False
    return wanted.varies or wanted.text == got.text


def differences(wanted: Comparable, got: Comparable) -> list[str]:
    """How an answer differs, line by line."""
    one = [f"exit code {wanted.exit_code}", *wanted.text.splitlines()]
    other = [f"exit code {got.exit_code}", *got.text.splitlines()]
    lines = list(difflib.unified_diff(one, other, "recorded", "embedded", lineterm="", n=1))
    if len(lines) == 0:
        return ["the texts differ in their line ends only"]
    return lines[2:]


def play(
    recording: dict[str, Any], beside: Beside | None = None
) -> tuple[dict[str, Any], dict[int, list[str]]]:
    """The recording with the answers of an embedded cluster, and notes on steps, by number."""
    played = copy.deepcopy(recording)
    notes: dict[int, list[str]] = {}
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        shell = Shell(fresh_world(recording["id"]), Path(folder))
        with shell:
            if "namespace" in recording:
                shell.make_namespace(recording["namespace"])
            pace = Pace(shell)
            pending: list[str] = []
            for number, step in enumerate(played["steps"]):
                shell.write(step.get("files", {}))
                try:
                    pending += pace.before(step)
                except Exception as error:  # the cluster's own: the steps after it count as well
                    pending.append(f"(the cluster raised: {place_of(error)})")
                if "run" in step:
                    pace.typed(step)
                    if beside is not None:
                        beside.before(shell, step)
                    answer = shell.type(step["run"], step.get("stdin", ""))
                    if beside is not None:
                        beside.after(recording["steps"][number], answer)
                    step.update(rc=answer.exit_code, stdout=answer.stdout, stderr=answer.stderr)
                    notes[number], pending = pending, []
    return played, notes


def place_of(error: Exception) -> str:
    """An exception and the line that raised it."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{error!r} in {'/'.join(Path(last.filename).parts[-2:])}:{last.lineno}"


class Pace:
    """Lets as much virtual time pass between two commands as passed in the recording.

    Args:
        shell: Whose time it is.
    """

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._recorded_at = 0.0
        self._typed_at = shell.now

    def before(self, step: dict[str, Any]) -> list[str]:
        """Do what stands before the command of a step; returns what could not be done."""
        shell, problems = self._shell, []
        conditions = step.get("until", ())
        pause_s = step.get("pause_s", 0.0)
        if "at_s" in step:
            waited_s = sum(condition.get("waited_s", 0.0) for condition in conditions) + pause_s
            gap_s = step["at_s"] - self._recorded_at - waited_s
            shell.advance(self._typed_at + gap_s - shell.now)
        if "setup" in step and not prepare(shell, step["setup"]):
            problems.append(f"(could not be done before: {step['setup']})")
        for condition in conditions:
            waited_s = condition.get("waited_s", 0.0)
            held = shell.until(condition["run"], condition["matches"], waited_s)
            if not held and condition.get("reached", True):
                problems.append(f"(never held: {condition['run']} =~ {condition['matches']})")
        shell.advance(pause_s)
        return problems

    def typed(self, step: dict[str, Any]) -> None:
        """A command is about to be typed."""
        self._recorded_at = step.get("at_s", self._recorded_at)
        self._typed_at = self._shell.now


def prepare(shell: Shell, text: str) -> bool:
    """Do what was done outside the recording; False when there is no way to."""
    if found := FREEZE.match(text):
        return shell.freeze(found[1], found[2] == "is frozen")
    if not text.startswith("kubectl "):
        return False
    shell.type(text)
    return True
