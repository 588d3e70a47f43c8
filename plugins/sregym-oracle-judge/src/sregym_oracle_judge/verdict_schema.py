"""The schema of a response of the language model, and the checklist that is made of it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, model_validator

from sregym_oracles import CHECKLIST, Answer

if TYPE_CHECKING:
    from collections.abc import Sequence

QUESTIONS = tuple(question.id for dimension in CHECKLIST for question in dimension.questions)
# What a model is less sure of counts as not known.
LEAST_CONFIDENCE = 0.6


class Word(StrEnum):
    """The possible answers."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class ModelAnswer(BaseModel):
    """The answer to one question."""

    model_config = ConfigDict(extra="forbid")

    question: str
    answer: Word
    evidence: str = Field(max_length=1000)
    confidence: float = Field(ge=0.0, le=1.0)


class ModelAnswers(BaseModel):
    """The answers to all questions."""

    model_config = ConfigDict(extra="forbid")

    answers: list[ModelAnswer]

    @model_validator(mode="after")
    def _complete(self) -> ModelAnswers:
        given = [one.question for one in self.answers]
        if sorted(given) != sorted(QUESTIONS):
            msg = f"each question has to be answered once: {', '.join(QUESTIONS)}; got {', '.join(given)}"
            raise ValueError(msg)
        return self


def answers_of(said: ModelAnswers, least: float) -> Sequence[Answer]:
    """The answers as the checklist counts them.

    Args:
        said: By the model.
        least: The confidence below which an answer is not known.
    """
    meant = {Word.YES: True, Word.NO: False, Word.UNKNOWN: None}
    return [
        Answer(
            one.question,
            meant[one.answer] if one.confidence >= least else None,
            f"{one.evidence} (confidence {one.confidence:.2f})",
        )
        for one in said.answers
    ]
