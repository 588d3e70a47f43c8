"""The battery: what a problem has to survive before it is listed."""

from __future__ import annotations

import shlex
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from sregym_core.conductor.collecting import nothing_collected
from sregym_core.conductor.episode import EpisodePlayer
from sregym_core.conductor.grading import judge, true_claims
from sregym_core.conductor.journal import UndoJournal
from sregym_core.conductor.plan import EpisodePlan
from sregym_core.conductor.progress import Progress
from sregym_core.errors import SregymError, UsageError
from sregym_core.interfaces import (
    AgentDescription,
    Baseline,
    ClusterError,
    Command,
    OracleContext,
    Traffic,
)
from sregym_core.model import EpisodeRecord, FailureMode, Outcome, Severity
from sregym_core.proof.checks import Proof, ProofCheck
from sregym_core.proof.comparing import comparable, where_different
from sregym_core.proof.diagnoses import other_causes, wrong_diagnoses
from sregym_core.proof.scripted import (
    Script,
    Scripted,
    do_nothing,
    finds_nothing,
    play_fix,
    play_reference,
    repair_all_but,
    repair_and_harm,
)
from sregym_core.proof.tipping import tipping_checks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sregym_core.conductor.component_factory import ComponentFactory
    from sregym_core.conductor.worlds import Worlds
    from sregym_core.events import EpisodeEvent
    from sregym_core.interfaces import Attacks, Cheat, Session
    from sregym_core.model import Claims, Component, Problem


# Worlds that are thrown away need no recovery, which costs as much as the rest of an episode. It is
# proved on those in which there is most to undo: the fault alone, workloads that are gone, and the
# repair with every kind of harm. On a cluster that stays all are recovered, and none may fail.
_RECOVERED = frozenset({"noop", "delete-workload", "harm"})
# Of those in which nothing but the outcome is proved no more is worked out than that takes. Of the others
# more is read: bytes, side effects, what fails, and that all can be judged whatever is written there.
_READ_WHOLE = frozenset({"reference", "hasty", "harm", "worsening", "garble-configuration"})


def prove(
    factory: ComponentFactory,
    worlds: Worlds,
    problem: Problem,
    seed: int = 0,
    listener: Callable[[str, EpisodeEvent], None] | None = None,
) -> Proof:
    """Play the whole battery for one problem; `listener` receives each event with the problem."""
    tell = None if listener is None else partial(_pass_on, listener, problem.id)
    began = time.monotonic()
    checks: list[ProofCheck] = []
    try:
        with nothing_collected():
            checks.extend(_Battery(factory, worlds, problem, seed, tell).checks())
    except UsageError:
        raise
    except (SregymError, ClusterError) as error:
        # What was proved before counts for nothing, but it helps to see how far it came.
        checks.append(ProofCheck("world-stands", "a healthy world", "none", False, str(error)))
    return Proof(problem.id, tuple(checks), round(time.monotonic() - began, 3))


def _pass_on(
    listener: Callable[[str, EpisodeEvent], None], problem: str, episode: str, event: EpisodeEvent
) -> None:
    listener(f"{problem}, {episode}", event)


class _Battery:
    def __init__(
        self,
        factory: ComponentFactory,
        worlds: Worlds,
        problem: Problem,
        seed: int,
        tell: Callable[[str, EpisodeEvent], None] | None,
    ) -> None:
        self._tell = tell
        self._bench = factory
        self._worlds = worlds
        self._problem = problem
        self._seed = seed
        self._application = worlds.application(factory.application(problem.application))
        self._unrecovered: list[str] = []
        self._period_s = 0.0
        self._hasty: tuple[Command, ...] = ()
        self._attacks: Attacks | None = None
        # What a hasty repair leaves broken is compared with what is without it.
        self._read_whole = _READ_WHOLE | {"noop"} if problem.hasty else _READ_WHOLE

    def checks(self) -> Iterator[ProofCheck]:
        """All checks, cheapest first."""
        yield from self._diagnosis_checks()
        healthy = self._play("healthy", do_nothing, inject=False)
        yield _mitigation("healthy-passes", healthy, Outcome.PASS)
        idle = self._play("noop", do_nothing)
        yield _mitigation("noop-fails", idle, Outcome.FAIL)
        if idle.outcome is Outcome.ERROR:  # nothing that follows could be told from it
            return
        relapse_s = max(self._problem.timing.relapse_s, 2 * self._period_s)
        fixed = self._play("reference", play_reference, privileged=True, relapse_s=relapse_s)
        yield from self._reference_checks(fixed)
        if self._worlds.provider.simulated:
            again = self._play("reference", play_reference, privileged=True, relapse_s=relapse_s)
            same = comparable(fixed) == comparable(again)
            got = "identical" if same else f"different: {where_different(fixed, again)}"
            yield ProofCheck("same-seed-same-bytes", "identical", got, same)
        if self._hasty:
            half = self._play("hasty", partial(play_fix, fix=self._hasty))
            yield _mitigation("hasty-fix-fails", half, Outcome.FAIL)
        if self._problem.hasty:
            yield self._worsening_check(idle)
        if FailureMode.METASTABLE in self._problem.modes and self._worlds.provider.simulated:
            yield from tipping_checks(
                self._bench, self._worlds, self._problem, self._application, self._seed
            )
        yield from self._masking_checks()
        attacks = self._attacks
        assert attacks is not None  # those of the cluster in which diagnoses were judged
        spared = attacks.restarts if self._restart_recovers() else frozenset[str]()
        for name, cheat in attacks.cheats.items():
            if name in spared:
                continue
            # Who finds nothing to do does nothing, and what comes of that is known.
            does_nothing = finds_nothing(cheat, *self._parts())
            record = idle if does_nothing else self._play(name, partial(self._cheat, cheat=cheat))
            yield _mitigation(f"cheat-{name}-fails", record, Outcome.FAIL)
        yield from self._harm_checks(attacks)
        recovered = "; ".join(self._unrecovered)
        got = "recovered" if not recovered else "not recovered"
        yield ProofCheck("baseline-restored", "recovered", got, not recovered, recovered)

    def _reference_checks(self, record: EpisodeRecord) -> Iterator[ProofCheck]:
        grades = [
            entry.fields
            for entry in record.timeline
            if entry.event == "StageGraded" and entry.fields["stage"] == "mitigation"
        ]
        names = ("reference-fix-passes", "reference-fix-holds")
        for index, name in enumerate(names):
            if index < len(grades):
                grade = grades[index]
                got, detail = str(grade["outcome"]), str(grade["reason"])
            else:
                got, detail = "not judged", record.reason
            yield ProofCheck(name, "pass", got, got == "pass", detail)
        diagnosis = record.diagnosis
        got = str(diagnosis.verdict.outcome) if diagnosis is not None else "not judged"
        detail = diagnosis.verdict.reason if diagnosis is not None else record.reason
        said = "" if diagnosis is None else diagnosis_as_text(diagnosis.text, diagnosis.claims)
        yield ProofCheck("true-diagnosis-passes", "pass", got, got == "pass", detail, said)

    def _worsening_check(self, idle: EpisodeRecord) -> ProofCheck:
        """What everybody would try first leaves more broken than doing nothing does."""
        lines = tuple(Command(tuple(shlex.split(line))) for line in self._problem.hasty)
        record = self._play("worsening", partial(play_fix, fix=lines))
        check = _mitigation("hasty-repair-harms", record, Outcome.FAIL)
        if not check.ok:
            return check
        more = sorted(_failing(record) - _failing(idle))
        got = f"worse: {', '.join(more)}" if more else "no worse than doing nothing"
        return replace(check, expected="worse", got=got, ok=bool(more))

    def _masking_checks(self) -> Iterator[ProofCheck]:
        """Each fault has to be repaired for itself: without its own fix the system is not well.

        A fault that another one covers, or that the repair of another one takes away, is none that
        an agent could find.
        """
        faults = self._problem.faults
        first = 0
        for number, ref in enumerate(faults, 1):
            own = range(first, first := first + len(ref.targets))
            if len(faults) == 1:
                return
            name = f"fault-{number}-is-not-masked"
            record = self._play(name, repair_all_but(own), privileged=True)
            check = _mitigation(name, record, Outcome.FAIL)
            if check.got == Outcome.PASS:
                what = (
                    f"with every fault repaired but {ref.fault} on {ref.target} the system passes: "
                    "another fault masks it; choose targets that do not share what is broken"
                )
                check = replace(check, detail=what)
            yield check

    def _harm_checks(self, attacks: Attacks) -> Iterator[ProofCheck]:
        """Whoever repairs and harms does not pass, and every kind of harm alone would be enough."""
        everything = self._application.components()
        done: set[str] = set()
        script = partial(repair_and_harm, attacks=attacks, everything=everything, done=done)
        record = self._play("harm", script, privileged=True)
        yield _mitigation("repair-with-harm-fails", record, Outcome.FAIL)
        stage = record.mitigation
        effects = () if stage is None else stage.verdict.side_effects
        fatal = {effect.kind for effect in effects if effect.severity is Severity.FAIL}
        for name in (*attacks.possible(everything), *sorted(done)):
            got = "fail" if name in fatal else "not seen"
            yield ProofCheck(f"harm-{name}-fails", "fail", got, name in fatal)

    def _restart_recovers(self) -> bool:
        """Whether restarting processes is a right repair of all that is broken."""
        parts = {part.name: part for part in self._application.components()}
        return all(
            name in parts and self._bench.fault(ref.fault).restart_recovers(parts[name])
            for ref in self._problem.faults
            for name in ref.components or ("",)
        )

    def _parts(self) -> tuple[tuple[Component, ...], tuple[Component, ...]]:
        """The targets, and all components."""
        everything = self._application.components()
        wanted = [name for ref in self._problem.faults for name in ref.components]
        return tuple(part for part in everything if part.name in wanted), everything

    def _cheat(self, session: Session, cheat: Cheat) -> None:
        session.submit("Cheating.")
        cheat(session, *self._parts())
        session.submit("Done.")

    def _play(
        self,
        name: str,
        script: Script,
        *,
        privileged: bool = False,
        inject: bool = True,
        relapse_s: float = 0.0,
    ) -> EpisodeRecord:
        agent = Scripted(script, privileged)
        plan = EpisodePlan(
            episode=name,
            problem=self._problem,
            agent=AgentDescription.of(agent),
            seed=self._seed,
            inject=inject,
            relapse_s=relapse_s,
            # The healthy world is that of the baseline, which all problems of an application share.
            routine=inject,
            recover=name in _RECOVERED or not self._worlds.provider.simulated,
            brief=name not in self._read_whole,
        )
        player = EpisodePlayer(self._bench, self._worlds, plan, self._tell)
        record = player.play(agent)
        player.release()
        if player.interrupted:
            raise KeyboardInterrupt
        if plan.recover and not record.recovered:
            last = [e for e in record.timeline if e.event == "Recovered"]
            why = str(last[-1].fields["difference"]) if last else record.reason
            self._unrecovered.append(f"{name}: {why}")
        return record

    def _diagnosis_checks(self) -> Iterator[ProofCheck]:
        """Diagnoses are judged against the truth alone; no episode is needed for that."""
        timing = self._problem.timing
        tell = self._tell
        progress = Progress(None if tell is None else lambda event: tell("diagnoses", event))
        world = self._worlds.make(
            self._application, timing.warm_up_s, self._seed, served=False, progress=progress
        )
        self._attacks = world.cluster.operations.attacks
        try:
            journal = UndoJournal()
            faults = self._bench.faults_in_context(
                self._problem, self._application, world.cluster, journal, self._seed
            )
            self._period_s = max(fault.period_s(context) for fault, context in faults)
            self._hasty = tuple(
                command for fault, context in faults for command in fault.hasty_fix(context)
            )
            ground_truths = tuple(fault.ground_truth(context) for fault, context in faults)
            empty = Baseline(objects={}, hidden={}, traffic=Traffic(seconds=0.0))
            oracles = [self._bench.oracle(name) for name in self._problem.oracles.diagnosis]

            def outcome(text: str, claims: Claims | None) -> tuple[Outcome, str]:
                context = OracleContext(
                    cluster=world.cluster,
                    application=self._application,
                    problem=self._problem,
                    ground_truths=ground_truths,
                    faults=faults,
                    baseline=empty,
                    text=text,
                    claims=claims,
                )
                verdict = judge(oracles, context)
                return verdict.outcome, verdict.reason

            claimed, others = true_claims(ground_truths), other_causes(ground_truths)
            got, why = outcome(others, claimed)
            said = " ".join(filter(None, (diagnosis_as_text("", claimed), others)))
            yield ProofCheck("true-claims-pass", "pass", got, got is Outcome.PASS, why, said)
            for name, (text, claims) in wrong_diagnoses(ground_truths, self._application).items():
                got, why = outcome(text, claims)
                yield ProofCheck(
                    f"diagnosis-{name}-fails",
                    "fail",
                    got,
                    # A judge that cannot tell has not been deceived.
                    got in (Outcome.FAIL, Outcome.UNDECIDED),
                    why,
                    diagnosis_as_text(text, claims),
                )
        finally:
            world.cluster.close()


def diagnosis_as_text(text: str, claims: Claims | None) -> str:
    """A diagnosis as it was handed in: its text, or its claims as JSON."""
    return text if claims is None else claims.model_dump_json(exclude_defaults=True)


def _mitigation(name: str, record: EpisodeRecord, expected: Outcome) -> ProofCheck:
    stage = record.mitigation
    if stage is None or record.outcome is Outcome.ERROR:
        return ProofCheck(name, expected, "error", False, record.reason)
    got = stage.verdict.outcome
    return ProofCheck(name, expected, got, got is expected, stage.verdict.reason)


def _failing(record: EpisodeRecord) -> set[str]:
    """Names of what the mitigation oracle found wrong."""
    stage = record.mitigation
    checks = () if stage is None else stage.verdict.checks
    return {check.name for check in checks if check.outcome is Outcome.FAIL}
