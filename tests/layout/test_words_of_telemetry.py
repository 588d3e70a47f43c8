"""What the simulated programs write and answer never speaks of how the world is made or judged."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

import yaml
from workspace import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TELLING = re.compile(
    r"sregym|\bchaos|\bfaults?\b|inject|benchmark|simulat|harness|\bepisode|\boracle\b"
    r"|ground.truth|\bmock|\bfake|misconfig|root.cause|\bvirtual (?:time|second)",
    re.IGNORECASE,
)
MODELS = sorted(
    path
    for path in [
        *ROOT.glob("plugins/*/src/**/service_model.yaml"),
        *ROOT.glob("plugins/*/src/*/userland/models/*.yaml"),
    ]
)
# Words of an image's name, of a variable, of a comment are seen elsewhere; these reach people.
SAID = ("log", "last_log", "text", "fields", "body", "returns", "errors", "caller")
# Rooms whose constants are words of programs: what they write, what commands print.
SPEAKING = ("userland", "telemetry", "traffic", "kubelet", "network")
# Modules that say such a word for a reason.
EXCEPTIONS = {
    "network/corefile.py": "CoreDNS has a plugin named chaos",
    "network/ingress.py": "the certificate that ingress-nginx makes itself is called so",
    "telemetry/metrics/catalogue.py": "tells authors of extensions what is wrong with them",
    "telemetry/metrics/reference.py": "writes a page of the documentation",
    "userland/builtin.py": "tells authors of extensions what is wrong with them",
    "userland/kinds/loading.py": "tells authors of extensions what is wrong with them",
}
EMBEDDED = ROOT / "plugins/sregym-cluster-embedded/src/sregym_cluster_embedded"


def said(node: Any, *, inside: bool = False) -> Iterator[str]:
    """The texts of a model that programs write."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from said(value, inside=inside or key in SAID)
    elif isinstance(node, list):
        for value in node:
            yield from said(value, inside=inside)
    elif inside and isinstance(node, str):
        yield node


def constants(path: Path) -> Iterator[str]:
    """The strings of a module that are no docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    documentation = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            # A string that stands alone explains something.
            documentation |= {id(one.value) for one in body if isinstance(one, ast.Expr)}
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in documentation:
            yield node.value


def test_there_is_something_to_look_at() -> None:
    assert "service_model.yaml" in {path.name for path in MODELS}
    assert any("Successfull" in text for path in MODELS for text in said(yaml.safe_load(path.read_text("utf-8"))))  # fmt: skip


def test_models_of_applications_give_nothing_away() -> None:
    found = {
        (path.parent.name, text)
        for path in MODELS
        for text in said(yaml.safe_load(path.read_text("utf-8")))
        if TELLING.search(text)
    }
    assert found == set()


def test_words_of_programs_give_nothing_away() -> None:
    found = {
        (str(path.relative_to(EMBEDDED)), text)
        for room in SPEAKING
        for path in sorted((EMBEDDED / room).rglob("*.py"))
        if str(path.relative_to(EMBEDDED)) not in EXCEPTIONS
        for text in constants(path)
        if TELLING.search(text) and not re.fullmatch(r"sregym_[a-z_.]+(:\w*)?", text)
    }
    assert found == set()
