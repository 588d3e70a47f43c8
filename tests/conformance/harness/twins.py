"""Each command of a recording, by the in-process twin and by the binary, on the same state."""

from __future__ import annotations

import difflib
import re
import resource
import shlex
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sregym_cluster_embedded.kubectl import DirectAccess, NotCovered, run

from harness.cluster import ADMIN, Answer, Shell
from harness.recordings import Rules, load
from harness.scenarios import play

# One command without a shell's doing: only such can be run in process.
_META = re.compile(r"[|;&<>$`()]|^\w+=")
# The binary goes through containers and through the resources of a limit in no certain order.
_UNORDERED = re.compile(
    r"logs .*(--all-containers|-l |--selector)|describe (lim\w*|ns|namespaces?|quota,lim)\b"
    r"|(label|annotate) .*--list|set env .*--from"
)
# It evicts all pods at once, and gives reasons in no certain order either.
_CONCURRENT = re.compile(r"kubectl drain")
# Which of the states on the way the binary sees depends on how fast it starts.
_TIMED = re.compile(r"kubectl rollout status")
# It may leave before it has read what the far end complains of.
_HASTY = re.compile(r"kubectl cp [^ /]*(/[^ /]*)?:")


class Comparison(NamedTuple):
    """One command, run both ways.

    Attributes:
        scenario: Id of its recording.
        step: As it is recorded, with the files and the input of the command.
        twin: What the twin gave; None when it leaves the command to the binary.
        reason: Why it does.
        binary: What the binary gave.
        twin_cpu_s: CPU of the twin, with the API it asks.
        binary_cpu_s: CPU of the binary's process and of the server meanwhile.
    """

    scenario: str
    step: dict[str, Any]
    twin: Answer | None
    reason: str
    binary: Answer
    twin_cpu_s: float
    binary_cpu_s: float

    def same(self, rules: Rules, recording: dict[str, Any]) -> bool:
        """Whether both gave the same, but for the second in which they did."""
        if self.twin is None or self.twin == self.binary:
            return True
        if _TIMED.search(self.step["run"]):
            return _end(self.twin) == _end(self.binary)
        if _HASTY.search(self.step["run"]) and self.twin.stdout.startswith(self.binary.stdout):
            return self.twin == replace(self.binary, stdout=self.twin.stdout)
        if _CONCURRENT.search(self.step["run"]):
            return _pieces(self.twin) == _pieces(self.binary)
        one, other = (
            rules({**recording, "steps": [{**self.step, **_answer(given)}]})
            for given in (self.twin, self.binary)
        )
        texts = [[part.text for part in parts] for parts in (one, other)]
        if _UNORDERED.search(self.step["run"]):
            texts = [[_sorted(text) for text in each] for each in texts]
        return texts[0] == texts[1]


def words_of(command: str) -> list[str] | None:
    """The words behind `kubectl` of one plain command; None for anything else."""
    unquoted = re.sub(r"'[^']*'|\"[^\"$`]*\"", "", command)
    if not command.startswith("kubectl ") or _META.search(unquoted):
        return None
    try:
        return shlex.split(command)[1:]
    except ValueError:
        return None


class Twins:
    """Runs plain commands in process before they are typed.

    The twin runs on a fork, so that the binary meets the state that the twin has met.

    Args:
        scenario: Id of the recording.

    Attributes:
        found: Each command with both answers.
    """

    def __init__(self, scenario: str) -> None:
        self.found: list[Comparison] = []
        self._scenario = scenario
        self._memory: dict[str, Any] = {}
        self._twin: tuple[Answer | None, str, float] | None = None
        self._before_s = 0.0

    def before(self, shell: Shell, step: dict[str, Any]) -> None:
        """The command of a step is about to be typed: run it in process, if it is a plain one."""
        words = words_of(shell.addressed(step["run"]))
        self._twin = None
        if words is not None:
            self._twin = _twin(shell, words, step.get("stdin", ""), self._memory)
        self._before_s = _cpu_s()

    def after(self, step: dict[str, Any], answer: Answer) -> None:
        """It was answered."""
        if self._twin is not None:
            twin, reason, twin_s = self._twin
            spent_s = _cpu_s() - self._before_s
            self.found.append(
                Comparison(self._scenario, step, twin, reason, answer, twin_s, spent_s)
            )


def both_ways(path: Path) -> tuple[dict[str, Any], list[Comparison]]:
    """The recording, and its plain commands run both ways in the order of the recording."""
    recording = load(path)
    twins = Twins(recording["id"])
    play(recording, twins)
    return recording, twins.found


def differing(
    replayed: list[tuple[dict[str, Any], list[Comparison]]], paths: Iterable[Path], rules: Rules
) -> list[Comparison]:
    """Commands whose two answers are not the same.

    A busy machine lets the binary meet another moment: only what differs again counts.
    """
    suspected = _differing(replayed, rules)
    names = {one.scenario for one in suspected}
    again = _differing([both_ways(path) for path in paths if path.stem in names], rules)
    commands = {(one.scenario, one.step["run"]) for one in again}
    return [one for one in suspected if (one.scenario, one.step["run"]) in commands]


def _differing(
    replayed: list[tuple[dict[str, Any], list[Comparison]]], rules: Rules
) -> list[Comparison]:
    return [one for recording, found in replayed for one in found if not one.same(rules, recording)]


def told(everything: list[Comparison], different: list[Comparison], full: bool) -> str:
    """The differences, and the counts."""
    lines = [f"{one.scenario}: $ {one.step['run']}\n{_difference(one, full)}" for one in different]
    return "\n".join([*lines, _summary(everything, different)])


def _difference(one: Comparison, full: bool) -> str:
    """How the answers differ: `-` binary, `+` twin."""
    assert one.twin is not None
    texts = [
        [
            f"exit code {given.exit_code}",
            *given.stdout.splitlines(),
            "---",
            *given.stderr.splitlines(),
        ]
        for given in (one.binary, one.twin)
    ]
    lines = list(difflib.unified_diff(*texts, lineterm="", n=1))[2:]
    return "\n".join(f"    {line}" for line in (lines if full else lines[:12]))


def _summary(everything: list[Comparison], different: list[Comparison]) -> str:
    """Counts, and CPU of both ways over all commands and over those that the twin serves."""
    served = [one for one in everything if one.twin is not None]
    exact = sum(one.twin == one.binary for one in served)
    twin_s = sum(one.twin_cpu_s for one in served)
    binary_s = sum(one.binary_cpu_s for one in served)
    whole_s = sum(one.binary_cpu_s for one in everything)
    fallen_s = whole_s - binary_s
    return (
        f"{len(everything)} plain commands, {len(served)} served in process "
        f"({len(served) / len(everything):.1%}), {exact} byte for byte, "
        f"{len(served) - exact - len(different)} but for the second, {len(different)} different\n"
        f"CPU of those served: {twin_s / len(served) * 1000:.2f} ms in process, "
        f"{binary_s / len(served) * 1000:.1f} ms by the binary: {binary_s / twin_s:.0f} times\n"
        f"CPU of all, those left to the binary included: {whole_s / (twin_s + fallen_s):.1f} times"
    )


def _twin(
    shell: Shell, words: list[str], stdin: str, memory: dict[str, Any]
) -> tuple[Answer | None, str, float]:
    access = DirectAccess(
        shell.forked(), ADMIN, request_cost_s=0.005, kubeconfig=lambda: shell.kubeconfig
    )
    access.memory = memory
    began = time.process_time()
    try:
        done = run(access, words, stdin, files=shell.folder)
    except NotCovered as why:
        return None, str(why), time.process_time() - began
    spent = time.process_time() - began
    texts = (
        shell.recorded(text.encode(errors="surrogateescape")) for text in (done.stdout, done.stderr)
    )
    return Answer(done.exit_code, *texts), "", spent


def _end(answer: Answer) -> tuple[int, list[str], str]:
    return answer.exit_code, answer.stdout.splitlines()[-1:], answer.stderr


def _sorted(text: str) -> str:
    return "\n".join(sorted(text.splitlines()))


def _pieces(answer: Answer) -> tuple[int, list[str]]:
    return answer.exit_code, sorted(re.split(r"[],;[\n]+ ?|: ", answer.stdout + answer.stderr))


def _answer(answer: Answer) -> dict[str, Any]:
    return {"rc": answer.exit_code, "stdout": answer.stdout, "stderr": answer.stderr}


def _cpu_s() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
