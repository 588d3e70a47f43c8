"""`sregym judge`: judges diagnoses of a file or of a run, and says how far judges are right."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode, UsageError

from sregym_judge.telling import case_to_json, describe_usage, usage

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sregym_core.api import Workspace
    from sregym_core.interfaces import DiagnosisOracle
    from sregym_core.model import Verdict

    from sregym_judge.agreement import Agreement, Tally
    from sregym_judge.labelled import LabelledDiagnosis


class Judge(Subcommand):
    """Judges diagnoses of a file against the truths beside them, or those of a run once more."""

    name: ClassVar[str] = "judge"
    summary: ClassVar[str] = "judge diagnoses of a file or a run, and compare with labels"
    examples: ClassVar[tuple[str, ...]] = (
        "sregym judge cases.jsonl --judge checklist",
        "sregym judge --run runs/run-0001",
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument(
            "cases", type=Path, nargs="?", metavar="CASES", help="diagnoses, one JSON object a line"
        )
        what.add_argument(
            "--run",
            type=Path,
            metavar="RUN",
            help="judge the undecided diagnoses of a finished run again",
        )
        what.add_argument(
            "--review",
            type=Path,
            metavar="RUN",
            help="answer the questions about its undecided diagnoses yourself",
        )
        parser.add_argument(
            "--judge",
            action="append",
            metavar="NAME[:OPTION]",
            help="the oracle that judges (default: checklist); given twice, both judge the cases, and "
            "their agreement is told",
        )
        parser.add_argument(
            "--all", action="store_true", help="all diagnoses of the run, not the undecided alone"
        )
        parser.add_argument(
            "--by",
            default="",
            metavar="PERSON",
            help="name of the reviewer (default: the user's name)",
        )
        parser.add_argument("--json", action="store_true", help="print JSON, with all nine answers")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Judge all, then count."""
        from sregym_core.api import Workspace

        workspace = Workspace(self.settings)
        names = arguments.judge or ["checklist"]
        judges = [(name, diagnosis_judge(workspace, name)) for name in names]
        if arguments.cases is None:
            from sregym_judge.finished import judge_again, review

            if len(judges) > 1:
                msg = "a run is judged by one judge at a time: give --judge once"
                raise UsageError(msg)
            if arguments.run is not None:
                judge_again(self.console, workspace, judges[0], arguments)
            else:
                review(self.console, workspace, judges[0][1], arguments)
            return ExitCode.DONE
        for given, option in ((arguments.all, "--all"), (arguments.by, "--by")):
            if given:
                msg = f"{option} is for runs: give --run or --review, or leave it out"
                raise UsageError(msg)
        self._cases(arguments, judges)
        return ExitCode.DONE

    def _cases(
        self, arguments: argparse.Namespace, judges: Sequence[tuple[str, DiagnosisOracle]]
    ) -> None:
        from sregym_judge.labelled import read_labelled

        cases = read_labelled(arguments.cases)
        found = [(name, judge, verdicts_on(judge, cases)) for name, judge in judges]
        (name, judge, verdicts), *others = found
        told = [
            case_to_json(case.id, judge, verdict)
            for case, verdict in zip(cases, verdicts, strict=True)
        ]
        for other, second, given in others:
            for one, verdict in zip(told, given, strict=True):
                one.setdefault("judges", {})[other] = _without_id(second, verdict)
        counted: dict[str, Any] = {"judge": name, "cases": told}
        agreement = _labelled(cases, verdicts)
        if agreement is not None:
            counted["agreement"] = agreement.as_json()
        spent = usage([verdict for _, _, given in found for verdict in given])
        if spent is not None:
            counted["usage"] = spent
        between = {other: _between(verdicts, given) for other, _, given in others}
        seconds = {other: _labelled(cases, given) for other, _, given in others}
        if between:
            counted["judges"] = {
                other: {**tally.as_json(), **_against_labels(seconds[other])}
                for other, tally in between.items()
            }
        if arguments.json:
            self.console.json(counted)
            return
        self._tell(cases, told, [other for other, _, _ in others])
        rows = [] if agreement is None else [("all", agreement.whole), *agreement.rows()]
        rows += [(f"as {other} judges", tally) for other, tally in between.items()]
        rows += [(f"all, {other}", one.whole) for other, one in seconds.items() if one is not None]
        self._count(rows)
        for price in (usage(given) for _, _, given in found):
            if price is not None:
                self.console.say(f"\n{describe_usage(price)}")

    def _tell(
        self,
        cases: Sequence[LabelledDiagnosis],
        told: Sequence[dict[str, Any]],
        others: Sequence[str],
    ) -> None:
        """Every case, with what each judge says of it."""
        rows = [
            (
                one["id"],
                one["outcome"],
                *(one["judges"][other]["outcome"] for other in others),
                f"{one['score']:.2f}",
                _label(case),
                case.style,
            )
            for case, one in zip(cases, told, strict=True)
        ]
        heads = [_headed(other, place, others) for place, other in enumerate(others)]
        self.console.table(("ID", "OUTCOME", *heads, "SCORE", "LABEL", "STYLE"), tuple(rows))

    def _count(self, rows: Sequence[tuple[str, Tally]]) -> None:
        if not rows:
            return
        self.console.say()
        self.console.table(
            ("", "TEXTS", "UNDECIDED", "FALSE PASSES", "FALSE FAILS", "KAPPA (95 %)"),
            tuple((name, *_cells(tally)) for name, tally in rows),
        )


def _labelled(cases: Sequence[LabelledDiagnosis], verdicts: Sequence[Verdict]) -> Agreement | None:
    """How far a judge agrees with the labels; None where there are none."""
    from sregym_judge.agreement import Agreement, JudgedDiagnosis

    labelled = [
        JudgedDiagnosis(case.style, case.application, decided(verdict), case.passed)
        for case, verdict in zip(cases, verdicts, strict=True)
        if case.passed is not None
    ]
    return Agreement.of(labelled) if labelled else None


def _against_labels(agreement: Agreement | None) -> dict[str, Any]:
    return {} if agreement is None else {"agreement_with_labels": agreement.as_json()}


def _without_id(judge: DiagnosisOracle, verdict: Verdict) -> dict[str, Any]:
    return {key: value for key, value in case_to_json("", judge, verdict).items() if key != "id"}


def _headed(name: str, place: int, others: Sequence[str]) -> str:
    """The column of a further judge; those of one plugin are numbered."""
    short = name.partition(":")[0]
    alike = sum(other.partition(":")[0] == short for other in others)
    return f"{short} {place + 2}".upper() if alike > 1 else short.upper()


def diagnosis_judge(workspace: Workspace, name: str) -> DiagnosisOracle:
    """An oracle that judges diagnoses by ground truth alone.

    Raises:
        UsageError: The one of that name needs more.
    """
    from sregym_core.interfaces import DiagnosisOracle

    judge = workspace.oracle(name)
    if not isinstance(judge, DiagnosisOracle):
        msg = (
            f"oracle {name!r} judges more than diagnoses and ground truth; "
            "choose one that derives from DiagnosisOracle, like 'checklist'"
        )
        raise UsageError(msg)
    return judge


def verdicts_on(judge: DiagnosisOracle, cases: Sequence[LabelledDiagnosis]) -> list[Verdict]:
    """One for each case, in order."""
    return [
        judge.judge_diagnosis(case.diagnosis, None, case.ground_truths(), case.parts())
        for case in cases
    ]


def _between(first: Sequence[Verdict], second: Sequence[Verdict]) -> Tally:
    """How far one judge agrees with another, whose decided verdicts stand for labels."""
    from sregym_judge.agreement import Tally

    tally = Tally()
    for verdict, other in zip(first, second, strict=True):
        label = decided(other)
        if label is not None:
            tally.add(decided(verdict), label)
    return tally


def decided(verdict: Verdict) -> bool | None:
    """Whether a diagnosis passes; None where the judge could not tell, or failed."""
    return {"pass": True, "fail": False}.get(str(verdict.outcome))


def _label(case: LabelledDiagnosis) -> str:
    return {True: "pass", False: "fail", None: ""}[case.passed]


def _cells(tally: Tally) -> tuple[str, ...]:
    kappa = tally.kappa()
    shown = "-" if kappa is None else f"{kappa[0]:.2f} ({kappa[1]:.2f} to {kappa[2]:.2f})"
    counts = (tally.total, tally.undecided, tally.false_passes, tally.false_fails)
    return (*map(str, counts), shown)
