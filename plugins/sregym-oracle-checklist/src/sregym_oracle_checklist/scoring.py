"""From figures of evidence to likelihoods, by weights that stand beside this module as data.

The model is a logistic regression for each question, with weights that may only point in the
direction in which a figure speaks. `tools/fit_judge.py` writes `weights.json`.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# Figures that speak for a diagnosis, against it, or for either, depending on the others.
SPEAKS_FOR = (
    "explicit_truth", "repair_truth", "share", "named", "lead_truth", "covered", "blame_truth", "last_truth",
    "mechanism", "mechanism_firm", "mechanism_conclusion", "mechanism_sentence", "after", "before", "after_none",
    "detail", "relation", "own_conclusion", "own_all", "aligned_conclusion", "aligned_all", "rival_denied", "own_defect",
    "field", "repair_value", "repair_own", "unrivalled", "mechanism_placed", "value_placed",
)  # fmt: skip
SPEAKS_AGAINST = (
    "explicit_rival", "explicit_begins_rival", "repair_rival", "outsiders", "lead_rival", "lead_outsider", "blame_rival", "last_rival",
    "rival_alone", "faulted", "besides", "accused_besides", "strange_conclusion", "strange_all", "truth_denied",
    "mechanism_denied", "after_denied", "other_gain", "other_truth", "other_mechanism", "unsure", "undecided",
    "likely", "listing", "elsewhere", "rival_defect", "repair_strange", "strange_placed", "removed_other", "sibling", "uninvolved", "uninvolved_repaired",
    "not_gone", "rival_repaired", "unsupported", "strange_relation", "other_number", "repair_opposed",
    "value_alone", "repair_setting", "everybody", "joined_defects", "other_object",
)  # fmt: skip
SPEAKS_EITHER = ("explicit_none", "no_conclusion", "length", "short")
FIGURES = (*SPEAKS_FOR, *SPEAKS_AGAINST, *SPEAKS_EITHER)
# What is asked: is the origin right, is the mechanism right, does the diagnosis pass?
ASKED = ("origin", "mechanism", "diagnosis")


@dataclass(frozen=True)
class Weights:
    """The model of one question.

    Attributes:
        bias: The log-odds without any figure.
        of: By figure.
        yes: From this likelihood on the answer is yes.
        no: Up to this likelihood the answer is no; between the two there is none.
    """

    bias: float
    of: Mapping[str, float]
    yes: float
    no: float

    def likelihood(self, figures: Mapping[str, float]) -> float:
        """How likely the answer is yes, 0 to 1."""
        odds = self.bias + sum(weight * figures[name] for name, weight in self.of.items())
        return 1 / (1 + math.exp(-odds))

    def answer(self, figures: Mapping[str, float]) -> bool | None:
        """Yes, no, or None where the figures do not decide."""
        likelihood = self.likelihood(figures)
        if self.no < likelihood < self.yes:
            return None
        return likelihood >= self.yes


@cache
def fitted() -> Mapping[str, Weights]:
    """The weights that stand beside this module, by what is asked."""
    data = json.loads((resources.files(__package__) / "weights.json").read_text())
    return {
        asked: Weights(one["bias"], one["of"], one["yes"], one["no"]) for asked, one in data.items()
    }
