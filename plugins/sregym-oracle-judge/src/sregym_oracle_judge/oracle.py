"""The oracle `judge`: asks a language model the nine questions of the checklist."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from platformdirs import user_cache_path
from sregym_core.errors import UsageError
from sregym_core.model import ModelUsage, Outcome, Verdict
from typing_extensions import override

from sregym_oracle_judge.memory import Memory
from sregym_oracle_judge.model_client import JudgeFailedError, ModelClient
from sregym_oracle_judge.prompt import VERSION, case, instructions, neutral
from sregym_oracle_judge.verdict_schema import LEAST_CONFIDENCE, ModelAnswers, answers_of
from sregym_oracles import ChecklistJudge, addressed, verdict_on

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.model import Claims, Component, GroundTruth


class Judge(ChecklistJudge):
    """Judges the text alone, once for each root cause; claims are the business of `checklist`.

    A provider that fails makes the verdict an error, never a fail. A text that speaks to its judge
    fails without being shown to one.
    """

    name: ClassVar[str] = "judge"
    accepts: ClassVar[tuple[str, ...]] = (*ModelClient.OPTIONS, "confidence", "cache")

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        super().__init__(options)
        self._least = _confidence(self.options.get("confidence", str(LEAST_CONFIDENCE)))
        cache = self.options.get("cache", "")
        folder = Path(cache) if cache else user_cache_path("sregym") / "judge"
        self._memory = Memory(None if cache == "none" else folder)

    @override
    def judge_diagnosis(
        self,
        text: str,
        claims: Claims | None,
        ground_truths: Sequence[GroundTruth],
        components: Sequence[Component],
    ) -> Verdict:
        asked = ModelClient.of(self.options)
        refused = addressed(text)
        if refused is not None:
            return Verdict.of([refused])
        plain = neutral(text)
        if not plain.strip():
            return Verdict(outcome=Outcome.FAIL, reason="nothing was submitted")
        answers, spent = [], []
        try:
            for truth in ground_truths:
                others = [other for other in ground_truths if other is not truth]
                said, usage = self._asked(asked, case(plain, truth, others, components))
                answers.append(answers_of(said, self._least))
                spent.append(usage)
        except JudgeFailedError as error:
            told = _sum(spent) if spent else None
            return Verdict(outcome=Outcome.ERROR, reason=str(error), usage=told)
        return verdict_on(answers, ground_truths).model_copy(update={"usage": _sum(spent)})

    def _asked(self, asked: ModelClient, question: str) -> tuple[ModelAnswers, ModelUsage]:
        known = (VERSION, asked.id, instructions(), question)
        said = self._memory.get(*known)
        if said is not None:
            model = f"{asked.protocol}:{asked.model}"
            return said, ModelUsage(model=model, prompt_version=VERSION, cost_usd=0.0)
        said, usage = asked.ask(question)
        self._memory.put(said, *known)
        return said, usage


def _sum(spent: Sequence[ModelUsage]) -> ModelUsage:
    costs = [one.cost_usd for one in spent]
    return ModelUsage(
        model=spent[0].model,
        prompt_version=VERSION,
        requests=sum(one.requests for one in spent),
        prompt_tokens=sum(one.prompt_tokens for one in spent),
        completion_tokens=sum(one.completion_tokens for one in spent),
        cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
    )


def _confidence(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0.0 <= number <= 1.0:
        msg = f"oracle 'judge': option 'confidence' is {text!r}; expected a number from 0 to 1"
        raise UsageError(msg)
    return number
