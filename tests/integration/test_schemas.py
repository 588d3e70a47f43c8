"""The published JSON Schemas accept every file that is shipped, and find typical slips."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

ROOT = Path(__file__).parent.parent.parent
SCHEMAS = ROOT / "docs" / "reference" / "schemas"
# Kind of schema -> the files that are of it.
FILES = {
    "components": ("plugins/*/src/**/components.yaml", "tests/integration/orders/components.yaml"),
    "problem": ("plugins/*/src/**/problems/*.yaml",),
    "service-model": (
        "plugins/*/src/**/service_model.yaml",
        "plugins/*/src/**/images.yaml",
        "plugins/*/src/**/userland/models/*.yaml",
        "tests/integration/orders/service_model.yaml",
    ),
}
# Of plugins, whose own tests hold their files to them.
OTHERS = {"plugin-index.schema.json"}
SHIPPED = [
    (kind, path.relative_to(ROOT).as_posix())
    for kind, patterns in FILES.items()
    for pattern in patterns
    for path in sorted(ROOT.glob(pattern))
]
PROBLEM = {
    "id": "slow",
    "title": "Slow",
    "application": "orders",
    "layer": "os",
    "faults": [{"fault": "x", "target": {"node": {"runs": "web"}}}],
}
SLIPS: list[tuple[str, dict[str, Any]]] = [
    ("unknown field", {"timming": {}}),
    ("unknown layer", {"layer": "kubernets"}),
    ("no fault", {"faults": []}),
    ("target of no kind", {"faults": [{"fault": "x", "target": {"nod": "web"}}]}),
    ("number as text", {"timing": {"warm_up_s": "long"}}),
    ("id with a space", {"id": "is slow"}),
]
# Of the mistakes in names, a schema knows nothing.
FORMAL = ("mongdb", "gprc", "fial", "lisen", "documens", "size_mib: big", "opertions")
MISTAKES = [
    one
    for one in yaml.safe_load((Path(__file__).parent / "orders_mistakes.yaml").read_text())
    if any(word in one["now"] for word in FORMAL)
]


@cache
def validator(kind: str) -> Draft202012Validator:
    schema = json.loads((SCHEMAS / f"{kind}.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def test_the_published_schemas_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "schemas.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_there_are_files_of_each_kind() -> None:
    assert {kind for kind, _ in SHIPPED} == set(FILES)
    named = {f"{kind}.schema.json" for kind in FILES} | OTHERS
    assert {path.name for path in SCHEMAS.iterdir()} == named


@pytest.mark.parametrize(("kind", "file"), SHIPPED)
def test_what_is_shipped_is_accepted(kind: str, file: str) -> None:
    data = yaml.load((ROOT / file).read_text(encoding="utf-8"), yaml.CSafeLoader)
    assert [error.message for error in validator(kind).iter_errors(data)] == []


def test_a_problem_with_another_target_is_accepted() -> None:
    assert list(validator("problem").iter_errors(PROBLEM)) == []


@pytest.mark.parametrize(("slip", "change"), SLIPS)
def test_a_slip_in_a_problem_is_found(slip: str, change: dict[str, Any]) -> None:
    assert not validator("problem").is_valid({**PROBLEM, **change}), slip


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one["now"])
def test_a_slip_in_an_application_is_found(mistake: dict[str, str]) -> None:
    text = (Path(__file__).parent / "orders" / mistake["file"]).read_text(encoding="utf-8")
    kind = "components" if mistake["file"] == "components.yaml" else "service-model"
    spoiled = yaml.safe_load(text.replace(mistake["was"], mistake["now"], 1))
    assert not validator(kind).is_valid(spoiled)
