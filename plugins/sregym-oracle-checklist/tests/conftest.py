"""The calibration set: components, ground truths and labelled diagnoses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from sregym_core.model import (
    Account,
    Change,
    Component,
    ConfigUse,
    GroundTruth,
    ObjectRef,
    VolumeUse,
)
from sregym_oracle_checklist.oracle import ChecklistOracle
from sregym_testing.oracles import OracleCase, shop_context

if TYPE_CHECKING:
    from sregym_core.interfaces import OracleContext
    from sregym_testing.oracles import Situation

FOLDER = Path(__file__).parent / "calibration"
SELECTOR = GroundTruth(
    component="cart",
    kind="Service",
    object_name="cart",
    namespace="shop",
    mechanism="service-selector-mismatch",
    changed=Change(what="spec.selector", before="app=cart", after="app=trolley"),
)
NAMESPACE = "hotel-reservation"


def _ref(api_version: str, kind: str, name: str) -> ObjectRef:
    return ObjectRef(api_version=api_version, kind=kind, namespace=NAMESPACE, name=name)


def _component(name: str, facts: dict[str, Any]) -> Component:
    return Component(
        name=name,
        kind=facts["kind"],
        namespace=NAMESPACE,
        workload=_ref("apps/v1", "Deployment", name),
        container=facts["container"],
        image="hotel:latest",
        service=_ref("v1", "Service", name),
        config=tuple(ConfigUse(source=_ref("v1", "ConfigMap", n)) for n in facts.get("config", [])),
        volumes=tuple(VolumeUse(claim=n, path="/data") for n in facts.get("claims", [])),
        accounts=tuple(
            Account(
                engine="mongodb",
                user="admin",
                password="admin",
                database=database,
                role="readWrite",
                admin_user="root",
                admin_password="root",
                used_by=tuple(facts["callers"]),
            )
            for database in facts.get("databases", [])
        ),
        callers=tuple(facts["callers"]),
    )


@pytest.fixture(scope="session")
def components() -> tuple[Component, ...]:
    facts = yaml.safe_load((FOLDER / "application.yaml").read_text())
    return tuple(_component(name, fact) for name, fact in facts.items())


@pytest.fixture(scope="session")
def ground_truths() -> dict[str, GroundTruth]:
    files = ("truths.yaml", "network_truths.yaml")
    facts = {k: v for file in files for k, v in yaml.safe_load((FOLDER / file).read_text()).items()}
    return {name: GroundTruth.model_validate(fact) for name, fact in facts.items()}


@pytest.fixture
def case() -> OracleCase:
    """Both sides, for the contract that every oracle must hold to."""

    def says(text: str) -> Situation:
        def build(provision: Any) -> OracleContext:
            return replace(shop_context(provision), ground_truths=(SELECTOR,), text=text)

        return build

    return OracleCase(
        oracle=ChecklistOracle(),
        passing={"the root cause": says(SELECTOR.sentence())},
        failing={
            "nothing": says(""),
            "vague": says("The cart does not work."),
            "another mechanism": says("The cart Service was deleted."),
        },
    )
