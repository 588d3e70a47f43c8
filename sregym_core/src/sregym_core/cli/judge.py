"""`sregym judge`: let a judge of diagnoses loose on a file of them, and see how far it is right."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode, UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sregym_core.agreement import Agreement, Tally
    from sregym_core.interfaces import DiagnosisOracle
    from sregym_core.labelled import LabelledDiagnosis
    from sregym_core.model import Verdict

_ANSWERS = {"yes": True, "no": False}


class Judge(Subcommand):
    """Judges every diagnosis of a file against the truth that stands beside it."""

    name: ClassVar[str] = "judge"
    summary: ClassVar[str] = "judge diagnoses in a file, and compare with their labels"

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        parser.add_argument(
            "cases", type=Path, metavar="CASES", help="diagnoses, one JSON object a line"
        )
        parser.add_argument(
            "--judge",
            default="checklist",
            metavar="NAME",
            help="the oracle that judges (default checklist)",
        )
        parser.add_argument("--json", action="store_true", help="as JSON, with all nine answers")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Judge all, then count."""
        from sregym_core.agreement import Agreement, Judged
        from sregym_core.api import Workspace
        from sregym_core.interfaces import DiagnosisOracle
        from sregym_core.labelled import read_labelled

        cases = read_labelled(arguments.cases)
        judge = Workspace(self.settings).bench.oracle(arguments.judge)
        if not isinstance(judge, DiagnosisOracle):
            msg = (
                f"oracle {arguments.judge!r} judges more than diagnoses and ground truth; "
                "choose one that derives from DiagnosisOracle, like 'checklist'"
            )
            raise UsageError(msg)
        verdicts = [
            judge.judge_diagnosis(case.diagnosis, None, case.truths(), case.parts())
            for case in cases
        ]
        labelled = [
            Judged(case.style, case.application, _decided(verdict), case.passed)
            for case, verdict in zip(cases, verdicts, strict=True)
            if case.passed is not None
        ]
        agreement = Agreement.of(labelled) if labelled else None
        told = [
            {
                "id": case.id,
                "outcome": str(verdict.outcome),
                "score": round(verdict.score, 4),
                "answers": answers(judge, verdict),
            }
            for case, verdict in zip(cases, verdicts, strict=True)
        ]
        if arguments.json:
            counted = {} if agreement is None else {"agreement": agreement.as_json()}
            self.console.json({"judge": arguments.judge, "cases": told, **counted})
        else:
            self._tell(cases, told, agreement)
        return ExitCode.DONE

    def _tell(
        self,
        cases: Sequence[LabelledDiagnosis],
        told: Sequence[dict[str, Any]],
        agreement: Agreement | None,
    ) -> None:
        rows = [
            (one["id"], one["outcome"], f"{one['score']:.2f}", _label(case), case.style)
            for case, one in zip(cases, told, strict=True)
        ]
        self.console.table(("ID", "OUTCOME", "SCORE", "LABEL", "STYLE"), tuple(rows))
        if agreement is None:
            return
        self.console.say()
        counted = [("all", agreement.whole), *agreement.rows()]
        self.console.table(
            ("", "TEXTS", "UNDECIDED", "FALSE PASSES", "FALSE FAILS", "KAPPA (95 %)"),
            tuple((name, *_cells(tally)) for name, tally in counted),
        )


def answers(judge: DiagnosisOracle, verdict: Verdict) -> dict[str, bool | None]:
    """The verdict's answers by question; with several root causes a no to one is a no."""
    found: dict[str, bool | None] = {}
    for dimension, questions in enumerate(judge.questions, 1):
        for place, question in enumerate(questions, 1):
            given = [
                _ANSWERS.get(check.got)
                for check in verdict.checks
                if check.name.partition("[")[0] == question
            ]
            answer: bool | None = None
            if False in given:
                answer = False
            elif given and None not in given:
                answer = True
            found[f"D{dimension}Q{place}"] = answer
    return found


def _decided(verdict: Verdict) -> bool | None:
    return {"pass": True, "fail": False}.get(str(verdict.outcome))


def _label(case: LabelledDiagnosis) -> str:
    return {True: "pass", False: "fail", None: ""}[case.passed]


def _cells(tally: Tally) -> tuple[str, ...]:
    kappa = tally.kappa()
    shown = "-" if kappa is None else f"{kappa[0]:.2f} ({kappa[1]:.2f} to {kappa[2]:.2f})"
    counts = (tally.total, tally.undecided, tally.false_passes, tally.false_fails)
    return (*map(str, counts), shown)
