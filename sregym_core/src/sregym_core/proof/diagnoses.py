"""Diagnoses for proofs: true ones that must pass, and wrong or vague ones that must fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.model import Claims

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Application
    from sregym_core.model import GroundTruth

# A mechanism that is none of any fault's: a wrong diagnosis has to be wrong for every problem.
_FOREIGN_MECHANISM = "unpaid software licence"
# What may be wrong with anything: whoever names all of it has named nothing.
_WORD_LIST = (
    "selector, port, image, memory limit, role, password, quota, probe, DNS, NetworkPolicy, disk full, "
    "certificate, replicas, config key, CPU limit, taint, webhook, node, cache, queue"
)


def other_causes(ground_truths: tuple[GroundTruth, ...]) -> str:
    """What is said in words beside the true claims, which name one component and one mechanism.

    Empty for a single root cause; of several all but the first, like ones too.
    """
    return " ".join(truth.sentence() for truth in ground_truths[1:])


def wrong_diagnoses(
    ground_truths: tuple[GroundTruth, ...], application: Application
) -> Mapping[str, tuple[str, Claims | None]]:
    """By name, diagnoses that every diagnosis oracle has to fail: text and claims."""
    first = ground_truths[0]
    other = _uninvolved(ground_truths, application)
    wrong_component = (
        first.sentence().replace(first.object_name, other).replace(first.component, other)
    )
    wrong_mechanism = (
        f"The root cause is in {first.component}: {first.kind} {first.object_name} uses an "
        f"{_FOREIGN_MECHANISM}, so that it refuses to serve."
    )
    everything = ", ".join(component.name for component in application.components())
    said = " ".join(truth.sentence() for truth in ground_truths)
    denied = " ".join(f"It is not true that {truth.sentence()}" for truth in ground_truths)
    suffers = f" {', '.join(first.affected)} fail." if first.affected else ""
    return {
        "wrong-component": (wrong_component, None),
        "wrong-mechanism": (wrong_mechanism, None),
        "vague": ("Something is wrong with the application, some requests fail.", None),
        "everything": (f"The root cause is in one of {everything}.", None),
        "denied": (denied, None),
        "taken-back": (f"{said}\nAll of the above is false.", None),
        "consequence-only": (f"{first.impact}{suffers}", None),
        "word-list": (f"Any of these: {everything}; {_WORD_LIST}.", None),
        "wrong-component-claimed": (
            "",
            Claims(component=other, kind=first.kind, mechanism=first.mechanism),
        ),
        "wrong-mechanism-claimed": (
            "",
            Claims(component=first.component, kind=first.kind, mechanism=_FOREIGN_MECHANISM),
        ),
    }


def _uninvolved(ground_truths: tuple[GroundTruth, ...], application: Application) -> str:
    involved = {
        name
        for truth in ground_truths
        for name in (truth.component, truth.object_name, *truth.contributing, *truth.affected)
    }
    names = [component.name for component in application.components()]
    # A name that contains an involved one would be a dubious witness.
    for name in names:
        if not any(name in known or known in name for known in involved):
            return name
    return next(name for name in names if name not in involved)
