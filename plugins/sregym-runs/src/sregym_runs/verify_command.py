"""`sregym verify`."""

from __future__ import annotations

import argparse
import os
import time
from collections import deque
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.cli import Subcommand, counted
from sregym_core.errors import ExitCode, UsageError

from sregym_runs import options, run_options

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_core.events import EpisodeEvent
    from sregym_core.proof import Proof, ProofCheck


# So many of those that are not finished are named.
_NAMED = 10


class Verify(Subcommand):
    """Proves problems."""

    name: ClassVar[str] = "verify"
    summary: ClassVar[str] = (
        "prove problems: the reference fix passes, doing nothing and cheats fail"
    )
    examples: ClassVar[tuple[str, ...]] = (
        "sregym verify missing_service_hotel_reservation",
        "sregym verify --pairs --sample 20",
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        options.add_selection(parser)
        parser.add_argument(
            "--pair",
            nargs=3,
            action="append",
            default=[],
            metavar=("FAULT", "APPLICATION", "TARGET"),
            help="a fault on a target that it fits (see: sregym faults pairs); may be given "
            "several times",
        )
        parser.add_argument(
            "--pairs",
            action="store_true",
            help="all pairs of a fault and a target that it fits, or a sample of them",
        )
        parser.add_argument(
            "--sample",
            type=options.positive,
            metavar="N",
            help="with --pairs: only N of them, drawn by the seed",
        )
        parser.add_argument(
            "--shard",
            type=shard,
            default=(1, 1),
            metavar="I/N",
            help="only the I-th of N shares of the problems, for several machines",
        )
        options.add_cluster(parser)
        run_options.add_jobs(parser)
        options.add_seed(parser, "of all episodes, and of the sample")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Prove and print; all problems when none is named."""
        from sregym_core.api import Workspace

        from sregym_runs import pair
        from sregym_runs.fitting_pairs import sampled_pairs
        from sregym_runs.proofs import ProofRequest, prove_all

        began, used = time.monotonic(), _cpu_s()
        workspace = Workspace(self.settings)
        factory = workspace.factory
        problems = tuple(pair(*words, workspace=workspace) for words in arguments.pair)
        if arguments.sample and not arguments.pairs:
            raise UsageError("--sample N goes with --pairs: it is a sample of all pairs")
        cluster, cluster_options = options.cluster_choice(arguments.cluster)
        if arguments.pairs:
            drawn = sampled_pairs(workspace, arguments.sample, arguments.seed, cluster)
            problems = (*problems, *drawn)
        if not arguments.problems and not arguments.suite and not problems:
            every = factory.problems.all()
            for line in options.not_installed(factory, every):
                self.console.note(line)
            arguments.problems = [p.id for p in every if not factory.packages_missing(p)]
        if arguments.problems or arguments.suite:
            problems = (*options.chosen_problems(factory, arguments), *problems)
        which, shards = arguments.shard
        problems = problems[which - 1 :: shards]
        jobs = arguments.jobs or run_options.processors()
        request = ProofRequest(problems, cluster, cluster_options, arguments.seed, jobs)
        listener = None if arguments.json else self._told
        if len(problems) > 1:
            self.console.note(f"{len(problems)} problems to prove")
        proofs: list[Proof] = []
        # What is told is there already, wherever Ctrl-C comes between.
        found = _kept(prove_all(factory, request, listener), proofs)
        interrupted = False
        try:
            deque(self.shown(found, arguments.json, arguments.pairs), maxlen=0)
        except KeyboardInterrupt:
            interrupted = True
        places = {problem.id: place for place, problem in enumerate(problems)}
        proofs.sort(key=lambda proof: places[proof.problem])
        totals = _totals(proofs, soft=arguments.pairs)
        totals["wall_s"] = round(time.monotonic() - began, 3)
        totals["cpu_s"] = round(_cpu_s() - used, 3)
        if interrupted:
            there = {proof.problem for proof in proofs}
            totals["interrupted"] = True
            totals["left"] = [problem.id for problem in problems if problem.id not in there]
        if arguments.json:
            self.console.json({"problems": [proof.as_json() for proof in proofs], **totals})
        else:
            self._sum(totals, proofs)
        if interrupted:
            return ExitCode.INTERRUPTED
        good = totals["proved"] + len(totals.get("softened", ()))
        return ExitCode.DONE if good == len(proofs) else ExitCode.FAILED

    def _sum(self, totals: dict[str, Any], proofs: Sequence[Proof]) -> None:
        """The last lines, for people."""
        soft = totals.get("softened", [])
        gentle = {one["id"] for one in soft}
        failed = [p.problem for p in proofs if not p.proved and p.problem not in gentle]
        if failed and len(proofs) > 1:
            self.console.say(f"not proved: {', '.join(failed)}")
        took = f"{totals['wall_s']:.1f} s ({totals['cpu_s']:.1f} s of CPU)"
        self.console.say(f"{totals['proved']} of {len(proofs)} problems proved in {took}")
        if soft:
            self.console.say(f"{len(soft)} soften to nothing: the application does without")
        if totals.get("interrupted"):
            left = totals["left"]
            named = f": {', '.join(left[:_NAMED])}{', ...' if len(left) > _NAMED else ''}"
            more = "1 more is" if len(left) == 1 else f"{len(left)} more are"
            self.console.say(f"interrupted: {more} not finished{named if left else ''}")

    def _told(self, episode: str, event: EpisodeEvent) -> None:
        from sregym_core.events import Waiting

        if isinstance(event, Waiting):
            self.console.note(f"{episode}: {event.text()}")

    def shown(self, proofs: Iterator[Proof], quiet: bool, soft: bool = False) -> Iterator[Proof]:
        """Print proofs as they come, and hand them on.

        Args:
            proofs: To print.
            quiet: Whether the result is something else: then a line of each goes beside it.
            soft: Whether faults that users do not notice are reported as such.
        """
        for proof in proofs:
            word = "proved" if proof.proved else "NOT PROVED"
            if soft and proof.softened:
                word = f"softens to nothing: {proof.softened}"
            line = f"{proof.problem}: {word} ({counted(len(proof.checks), 'check')}, {proof.seconds:.1f} s)"
            if quiet:
                self.console.note(line)
            else:
                self.console.say(line)
                for check in proof.checks:
                    if not check.ok and not (soft and proof.softened):
                        self._failed(check)
            yield proof

    def _failed(self, check: ProofCheck) -> None:
        """A check that is not ok, with the diagnosis that was judged."""
        self.console.say(
            f"  {check.name}: expected {check.expected}, got {check.got}: {check.detail}"
        )
        for line in check.said.splitlines():
            self.console.say(f"    | {line}")


def shard(text: str) -> tuple[int, int]:
    """Which share of how many: `1/4` is the first of four."""
    which, _, of = text.partition("/")
    if which.isdecimal() and of.isdecimal() and 1 <= int(which) <= int(of):
        return int(which), int(of)
    msg = f"a share like 1/4 is needed, from 1/N to N/N, not {text!r}"
    raise argparse.ArgumentTypeError(msg)


def _cpu_s() -> float:
    """CPU seconds of this process and of the workers that have ended."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def _kept(found: Iterator[Proof], proofs: list[Proof]) -> Iterator[Proof]:
    """Hand proofs on, and keep them."""
    for proof in found:
        proofs.append(proof)
        yield proof


def _totals(proofs: Sequence[Proof], *, soft: bool) -> dict[str, Any]:
    """What `--json` prints beside the proofs."""
    proved = sum(proof.proved for proof in proofs)
    totals: dict[str, Any] = {"proved": proved, "total": len(proofs)}
    if soft:
        # That users do not notice a fault is no defect of a pair that no suite lists.
        gentle = [proof for proof in proofs if proof.softened]
        totals["softened"] = [{"id": one.problem, "why": one.softened} for one in gentle]
    return totals
