"""Each command of a recording, by the in-process twin and by the binary, on the same state."""

from __future__ import annotations

import copy
import re
import resource
import shlex
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sregym_cluster_embedded.kubectl import DirectAccess, NotCovered, run

from harness.cluster import ADMIN, Answer, Shell, fresh_world
from harness.recordings import Rules, load
from harness.scenarios import Pace

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


def both_ways(path: Path) -> tuple[dict[str, Any], list[Comparison]]:
    """The recording, and its plain commands run both ways in the order of the recording.

    The twin runs on a fork, so that the binary meets the state that the twin has met.
    """
    recording = load(path)
    found: list[Comparison] = []
    memory: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="twin-") as folder:
        shell = Shell(fresh_world(recording["id"]), Path(folder))
        with shell:
            if "namespace" in recording:
                shell.make_namespace(recording["namespace"])
            pace = Pace(shell)
            for step in copy.deepcopy(recording["steps"]):
                shell.write(step.get("files", {}))
                pace.before(step)
                if "run" not in step:
                    continue
                pace.typed(step)
                words = words_of(shell.addressed(step["run"]))
                if words is None:
                    shell.type(step["run"], step.get("stdin", ""))
                    continue
                twin, reason, twin_s = _twin(shell, words, step.get("stdin", ""), memory)
                before = _cpu_s()
                binary = shell.type(step["run"], step.get("stdin", ""))
                spent = _cpu_s() - before
                found.append(Comparison(recording["id"], step, twin, reason, binary, twin_s, spent))
    return recording, found


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
