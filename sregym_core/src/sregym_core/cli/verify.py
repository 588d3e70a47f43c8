"""`sregym verify`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.cli import Subcommand, options
from sregym_core.errors import ExitCode, UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from sregym_core.events import EpisodeEvent
    from sregym_core.proof import Proof, ProofCheck


class Verify(Subcommand):
    """Proves problems."""

    name: ClassVar[str] = "verify"
    summary: ClassVar[str] = "prove problems by machine"

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
            help="with --pairs: only so many, which follow from the seed",
        )
        parser.add_argument(
            "--shard",
            type=options.shard,
            default=(1, 1),
            metavar="I/N",
            help="only the I-th of N shares of the problems, for several machines",
        )
        options.add_cluster(parser)
        options.add_jobs(parser)
        options.add_seed(parser, "of all episodes, and of the sample")
        parser.add_argument("--json", action="store_true", help="as JSON")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Prove and print; all problems when none is named."""
        from sregym_core.api import Workspace, pair
        from sregym_core.api.sampling import sampled_pairs
        from sregym_core.proof.pool import ProofRequest, prove_all

        began = time.monotonic()
        workspace = Workspace(self.settings)
        bench = workspace.bench
        problems = tuple(pair(*words, workspace=workspace) for words in arguments.pair)
        if arguments.sample and not arguments.pairs:
            raise UsageError("--sample N goes with --pairs: it is a sample of all pairs")
        if arguments.pairs:
            problems = (*problems, *sampled_pairs(workspace, arguments.sample, arguments.seed))
        if not arguments.problems and not arguments.suite and not problems:
            arguments.problems = [problem.id for problem in bench.problems.all()]
        if arguments.problems or arguments.suite:
            problems = (*options.chosen_problems(bench, arguments), *problems)
        which, shards = arguments.shard
        problems = problems[which - 1 :: shards]
        cluster, cluster_options = options.cluster_choice(arguments.cluster)
        jobs = arguments.jobs or options.processors()
        request = ProofRequest(problems, cluster, cluster_options, arguments.seed, jobs)
        listener = None if arguments.json else self._told
        found = prove_all(bench, request, listener)
        proofs = list(self.shown(found, arguments.json, arguments.pairs))
        proved = sum(proof.proved for proof in proofs)
        # That a fault hurts nobody somewhere is no defect of a pair that nobody has listed.
        soft = {one.problem: one.softened for one in proofs if arguments.pairs and one.softened}
        wall_s = round(time.monotonic() - began, 3)
        if arguments.json:
            listed = [proof.as_json() for proof in proofs]
            totals: dict[str, Any] = {"proved": proved, "total": len(proofs), "wall_s": wall_s}
            if arguments.pairs:
                listed_soft = [{"id": name, "why": why} for name, why in soft.items()]
                totals = {**totals, "softened": listed_soft}
            self.console.json({"problems": listed, **totals})
        else:
            self.console.say(f"{proved} of {len(proofs)} problems proved in {wall_s:.1f} s")
            if soft:
                self.console.say(f"{len(soft)} soften to nothing: the application does without")
        return ExitCode.DONE if proved + len(soft) == len(proofs) else ExitCode.FAILED

    def _told(self, episode: str, event: EpisodeEvent) -> None:
        from sregym_core.events import Waiting

        if isinstance(event, Waiting):
            self.console.note(f"{episode}: {event.text()}")

    def shown(self, proofs: Iterator[Proof], quiet: bool, soft: bool = False) -> Iterator[Proof]:
        """Print proofs as they come, unless quiet, and hand them on.

        Args:
            proofs: To print.
            quiet: Whether nothing is printed.
            soft: Whether faults that hurt nobody are told as such.
        """
        for proof in proofs:
            if not quiet:
                word = "proved" if proof.proved else "NOT PROVED"
                if soft and proof.softened:
                    word = f"softens to nothing: {proof.softened}"
                self.console.say(
                    f"{proof.problem}: {word} ({len(proof.checks)} checks, {proof.seconds:.1f} s)"
                )
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
