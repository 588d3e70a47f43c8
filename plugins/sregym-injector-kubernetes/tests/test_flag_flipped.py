"""Feature flags with another variant."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.errors import UsageError
from sregym_core.interfaces import FaultContext
from sregym_core.model import Change, Outcome
from sregym_injector_kubernetes.flag_flipped import FlagFlipped
from sregym_testing import FullShop

FAULT = FlagFlipped()
FLAGS = {
    "flags": {
        "away": {
            "state": "ENABLED",
            "variants": {"on": True, "off": False},
            "defaultVariant": "off",
        },
        "failing": {
            "state": "ENABLED",
            "variants": {"off": 0, "half": 0.5, "all": 1},
            "defaultVariant": "off",
        },
    }
}
TEXT = json.dumps(FLAGS)


class FlaggedShop(FullShop):
    """The shop, whose catalog reads a file of flags."""

    data: ClassVar[dict[str, str]] = {"config.json": TEXT, "motd.txt": "welcome\n"}

    def manifests(self) -> list[Any]:
        objects = super().manifests()
        for obj in objects:
            if obj["metadata"]["name"] == "catalog-config":
                obj["data"] = dict(self.data)
        return objects


def catalog() -> Any:
    part = FullShop().component("catalog")
    (use,) = part.config
    entries = {"config.json": ("flags",)}
    return part.model_copy(update={"config": (use.model_copy(update={"entries": entries}),)})


@pytest.fixture
def context(cluster: Any) -> FaultContext:
    source = catalog().config[0].source
    cluster.patch(source, {"data": {"config.json": TEXT}}, "merge")
    parameters = FlagFlipped.Parameters()
    return FaultContext(cluster, FlaggedShop(), catalog(), parameters, UndoJournal())


def told(context: FaultContext, **parameters: str) -> FaultContext:
    return replace(context, parameters=FlagFlipped.Parameters(**parameters))


def live(context: FaultContext) -> dict[str, str]:
    found: Any = context.cluster.get(catalog().config[0].source)
    variants = json.loads(found["data"]["config.json"])["flags"]
    return {name: flag["defaultVariant"] for name, flag in variants.items()}


def test_it_fits_who_mounts_flags() -> None:
    assert FAULT.mismatch_reason(catalog()) == ""
    without = (
        "it has no ConfigMap with a file of feature flags, or with a variable that is a switch"
    )
    assert FAULT.mismatch_reason(FullShop().component("catalog")) == without


@pytest.mark.parametrize(
    ("parameters", "flags"),
    [
        ({}, {"away": "off", "failing": "all"}),
        ({"variant": "half"}, {"away": "off", "failing": "half"}),
        ({"flag": "away"}, {"away": "on", "failing": "off"}),
    ],
)
def test_what_is_flipped_and_brought_back(
    context: FaultContext, parameters: dict[str, str], flags: dict[str, str]
) -> None:
    given = told(context, **parameters)
    FAULT.inject(given)
    assert live(given) == flags
    assert FAULT.present(given).outcome == Outcome.FAIL
    for command in FAULT.reference_fix(given):
        assert given.cluster.kubectl(command).ok
    assert live(given) == {"away": "off", "failing": "off"}
    assert FAULT.present(given).outcome == Outcome.PASS


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        ({"defaultVariant": "off"}, Outcome.PASS),
        ({"state": "DISABLED"}, Outcome.PASS),
        ({"defaultVariant": "none", "variants": {"none": 0}}, Outcome.PASS),
        ({"defaultVariant": "half"}, Outcome.FAIL),
        ({"variants": {"all": 0.1}}, Outcome.FAIL),
    ],
)
def test_repairs(context: FaultContext, change: dict[str, Any], outcome: Outcome) -> None:
    FAULT.inject(context)
    flags = {"flags": {"failing": {**FLAGS["flags"]["failing"], "defaultVariant": "all", **change}}}
    source = catalog().config[0].source
    context.cluster.patch(source, {"data": {"config.json": json.dumps(flags)}}, "merge")
    assert FAULT.present(context).outcome == outcome


def test_what_is_found(context: FaultContext) -> None:
    FAULT.inject(context)
    assert FAULT.present(context).got == (
        "ConfigMap shop/catalog-config key config.json: flag failing is 1, not 0"
    )
    context.cluster.delete(catalog().config[0].source)
    assert FAULT.present(context).got == "ConfigMap shop/catalog-config does not exist"


def test_what_is_told(context: FaultContext) -> None:
    truth = FAULT.ground_truth(context)
    assert (truth.component, truth.object_name, truth.mechanism) == (
        "catalog",
        "catalog-config",
        "feature-flag-flipped",
    )
    assert truth.changed == Change(
        what="data['config.json'].flags.failing.defaultVariant", before="off", after="all"
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"flag": "other"}, "'flag' of fault 'flag-flipped' on component 'catalog': key 'config.json' has no other 'other'; it has away, failing"),
        ({"variant": "off"}, "'variant' of fault 'flag-flipped' on component 'catalog': flag 'failing' has no other 'off'; it has half, all"),
    ],
)  # fmt: skip
def test_errors(context: FaultContext, parameters: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        FAULT.ground_truth(told(context, **parameters))
    assert str(caught.value) == f"parameter {message}"


def test_who_has_no_flags(context: FaultContext) -> None:
    plain = replace(context, target=FullShop().component("catalog"))
    with pytest.raises(UsageError) as caught:
        FAULT.ground_truth(plain)
    assert str(caught.value) == ("component 'catalog' has no ConfigMap with the feature flag")


class SwitchedShop(FullShop):
    """The shop, whose catalog has a variable from a ConfigMap."""

    def manifests(self) -> list[Any]:
        objects = super().manifests()
        for obj in objects:
            if obj["metadata"]["name"] == "catalog-config":
                obj["data"] = {"NEW_SEARCH": "false"}
        return objects


def test_a_variable_that_is_a_switch(context: FaultContext) -> None:
    part = FullShop().component("catalog")
    (use,) = part.config
    fed = use.model_copy(update={"path": "", "entries": {}, "switches": ("NEW_SEARCH",)})
    part = part.model_copy(update={"config": (fed,)})
    given = replace(context, application=SwitchedShop(), target=part)
    context.cluster.patch(use.source, {"data": {"NEW_SEARCH": "false"}}, "merge")
    assert FAULT.mismatch_reason(part) == ""
    assert FAULT.present(given).outcome == Outcome.PASS

    FAULT.inject(given)
    assert FAULT.present(given).got == (
        "ConfigMap shop/catalog-config key NEW_SEARCH: is true, not false"
    )
    assert FAULT.ground_truth(given).changed == Change(
        what="data['NEW_SEARCH']", before="false", after="true"
    )
    for command in FAULT.reference_fix(given):
        assert given.cluster.kubectl(command).ok
    assert FAULT.present(given).outcome == Outcome.PASS
    with pytest.raises(UsageError) as caught:
        FAULT.ground_truth(told(given, variant="off"))
    assert str(caught.value) == (
        "parameter 'variant' of fault 'flag-flipped' on component 'catalog': key 'NEW_SEARCH' has "
        "no other 'off'; it has true"
    )
    with pytest.raises(UsageError) as caught:
        FAULT.ground_truth(told(given, flag="OLD_SEARCH"))
    assert str(caught.value) == (
        "component 'catalog' has no ConfigMap with the feature flag 'OLD_SEARCH'"
    )
