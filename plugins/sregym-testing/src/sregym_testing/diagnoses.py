"""Whether oracles recognise a fault: phrasings of its ground truth have to pass, near misses must not."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from pydantic import ValidationError
from sregym_core.conductor.offline import NeedsClusterError, context_without_cluster
from sregym_core.interfaces import DiagnosisOracle
from sregym_core.model import Component, OracleRefs, Outcome, kind_of
from sregym_core.plugins import Plugins
from sregym_core.registry import Registry
from sregym_core.settings import Settings

from sregym_testing.phrasings import near_misses, phrasings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sregym_core.interfaces import Application, Fault
    from sregym_core.model import FaultTarget, GroundTruth

# So many of the author's phrases alone may be undecided; of the frames none.
UNDECIDED = 0.1
# So many near misses must not pass.
NEAR_MISSES = 10


def installed_judges() -> tuple[DiagnosisOracle, ...]:
    """The diagnosis oracles by which problems are judged that name none, as far as they are installed."""
    registry = Registry(Plugins(Settings()))
    installed = registry.names("oracle")
    judges = (
        registry.load("oracle", name)() for name in OracleRefs().diagnosis if name in installed
    )
    return tuple(judge for judge in judges if isinstance(judge, DiagnosisOracle))


def installed_faults() -> tuple[Fault, ...]:
    """One of each fault that is installed, by name."""
    registry = Registry(Plugins(Settings()))
    return tuple(registry.load("fault", name)() for name in registry.names("fault"))


def other_ground_truths(
    fault: Fault, application: Application, target: FaultTarget, faults: Iterable[Fault]
) -> list[GroundTruth]:
    """Ground truths of other faults at the same target, with default parameters.

    Those that need parameters, or a cluster to say what they do, are left out.
    """
    found = []
    for other in faults:
        if other.name == fault.name or kind_of(target) not in other.takes or not other.fits(target):
            continue
        try:
            parameters = other.Parameters()
            context = context_without_cluster(application, target, parameters)
            found.append(other.ground_truth(context))
        except (NeedsClusterError, ValidationError):
            continue
    return found


def uninvolved_components(truth: GroundTruth, parts: Sequence[Component]) -> list[str]:
    """Components that are not involved in an incident, and whose names contain none that is."""
    involved = {truth.component, truth.object_name, *truth.contributing, *truth.affected}
    return [
        part.name
        for part in parts
        if not any(part.name in name or name in part.name for name in involved if name)
    ]


def unrecognised_phrasings(
    judge: DiagnosisOracle, truth: GroundTruth, parts: Sequence[Component]
) -> Mapping[str, str]:
    """Correct diagnoses that an oracle does not pass: outcome and text by name of the phrasing.

    Of the author's phrases, which say less than a diagnosis, a few may be left undecided.
    """
    texts = phrasings(truth)
    found = _told(judge, truth, parts, texts, wanted=True)
    if any(text.startswith(Outcome.FAIL) for text in found.values()):
        return found
    own = [name for name in texts if name.startswith("author: ")]
    few = len(found) <= ceil(UNDECIDED * len(own)) and 2 * len(found) < len(own)
    return {} if not found or (few and set(found) <= set(own)) else found


def accepted_near_misses(
    judge: DiagnosisOracle,
    truth: GroundTruth,
    parts: Sequence[Component],
    others: Iterable[GroundTruth],
) -> Mapping[str, str]:
    """Near misses that an oracle passes: outcome and text by name.

    There have to be at least ten near misses.
    """
    texts = near_misses(truth, others, uninvolved_components(truth, parts))
    found = _told(judge, truth, parts, texts, wanted=False)
    if len(texts) < NEAR_MISSES:
        return {**found, "too few": f"{len(texts)} of {NEAR_MISSES}"}
    return found


def _told(
    judge: DiagnosisOracle,
    truth: GroundTruth,
    parts: Sequence[Component],
    texts: Mapping[str, str],
    *,
    wanted: bool,
) -> Mapping[str, str]:
    outcomes = {
        name: judge.judge_diagnosis(text, None, [truth], parts).outcome
        for name, text in texts.items()
    }
    return {
        name: f"{outcome}: {texts[name]}"
        for name, outcome in outcomes.items()
        if (outcome is Outcome.PASS) is not wanted
    }
