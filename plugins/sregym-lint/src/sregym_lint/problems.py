"""What is wrong with a problem file, all of it, with line, field and the nearest names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from sregym_core.conductor.fitting import mismatch_reason_of
from sregym_core.errors import SregymError
from sregym_core.model import Problem
from sregym_core.model.defect import Defect, Location, did_you_mean
from sregym_core.model.noise_setting import parse_noise
from sregym_core.model.validation import invalid_fields

from sregym_core import error_location
from sregym_lint.documents import documents
from sregym_lint.forms import compare

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_core.conductor.component_factory import ComponentFactory
    from sregym_core.interfaces import Application, Fault
    from sregym_core.model import FaultRef


def lint_problem(text: str, source: str, factory: ComponentFactory) -> list[Defect]:
    """Everything that is wrong with a problem file, in the order of its lines.

    Names are compared with what is installed, also where other fields are wrong.

    Args:
        text: The file.
        source: Its name, for the defects.
        factory: What is installed.
    """
    read, unreadable = documents(text, source)
    if unreadable:
        return unreadable
    first, *more = read
    found = [
        *first.own,
        *(one.defect((), "a file holds one problem, this is a further document") for one in more),
    ]
    if not isinstance(first.data, dict):
        what = "a problem is a mapping of fields; this is none"
        return [*found, first.defect((), what)]
    compared = compare(Problem, first.data)
    found += first.defects(compared.found)
    if compared.value is not None:
        names = _defects(compared.value, factory, compared.left_out)
        found += [first.defect(compared.original(where), what) for where, what in names]
    return sorted(found, key=lambda defect: defect.line)


def _defects(
    problem: Problem, factory: ComponentFactory, left_out: frozenset[str]
) -> Iterator[tuple[Location, str]]:
    if factory.packages_missing(problem):
        return  # what would be compared is not there, and is no mistake of the file
    application, why = _made(lambda: factory.application(problem.application))
    if why:
        yield ("application",), why
    for stage, names in (
        ("diagnosis", problem.oracles.diagnosis),
        ("mitigation", problem.oracles.mitigation),
    ):
        for index, name in enumerate(names):
            _, why = _made(lambda name=name: factory.registry.load("oracle", name))
            if why:
                yield ("oracles", stage, index), why
    for index, text in enumerate(problem.noise):
        _, why = _made(
            lambda text=text: factory.registry.load("noise source", parse_noise(text).name)
        )
        if why:
            yield ("noise", index), why
    layers: set[str] = set()
    for index, ref in enumerate(problem.faults):
        here: Location = ("faults", index)
        fault, why = _made(lambda ref=ref: factory.fault(ref.fault))
        if why:
            yield (*here, "fault"), why
            continue
        layers.add(fault.layer)
        yield from _of_fault(here, ref, fault, application, factory)
    if layers and problem.layer not in layers and "faults" not in left_out:
        known = " or ".join(map(repr, sorted(layers)))
        hint = did_you_mean(problem.layer, layers)
        what = f"{problem.layer!r} is no layer of its faults, which are of {known}{hint}"
        yield ("layer",), what


def _of_fault(
    here: Location,
    ref: FaultRef,
    fault: Fault,
    application: Application | None,
    factory: ComponentFactory,
) -> Iterator[tuple[Location, str]]:
    given = dict(ref.parameters)
    try:
        fault.Parameters.model_validate(given)
    except ValidationError as error:
        for location, what in invalid_fields(error, fault.Parameters, given):
            yield (*here, "parameters", *location), what
    if application is None:
        return
    chooser = factory.chooser(application, f"fault {ref.fault!r}")
    for index, wanted in enumerate(ref.targets):
        target, why = _made(lambda wanted=wanted: chooser.choose(wanted))
        if not why:
            unfit, why = _made(
                lambda target=target, wanted=wanted: mismatch_reason_of(
                    fault, wanted, target, application
                )
            )
            why = why or (f"fault {ref.fault!r} {unfit}" if unfit else "")
        if why:
            yield (*here, "target", *([index] if len(ref.targets) > 1 else [])), why


def _made(make: Any) -> tuple[Any, str]:
    """What a function gives, or why it gives nothing."""
    try:
        return make(), ""
    except SregymError as error:
        return None, str(error)
    except Exception as error:  # of whatever is made, which is a plugin's
        return None, error_location.format_with_location(error)
