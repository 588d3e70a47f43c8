"""The embedded cluster knows no application, no problem and no fault: nothing there is scripted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from sregym_core.conductor import ComponentFactory
from sregym_core.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "plugins" / "sregym-cluster-embedded" / "src"
# Words of the trade that a cluster may use for itself, and names of public images.
OWN_WORDS = {"consul", "jaeger", "load", "load-generator"}
# Images of the recordings whose path any registry has.
PUBLIC = {"library/busybox", "dns/coredns"}


def names() -> set[str]:
    """What only those outside the cluster may know: names that say which system, or what broke."""
    factory = ComponentFactory(Settings())
    found = {problem.id for problem in factory.problems.all()}
    # A fault of one word is named as what it changes: `taint`.
    found.update(name for name in factory.registry.names("fault") if "-" in name)
    for name in factory.registry.names("application"):
        application = factory.application(name)
        found.update({name, application.title, *application.namespaces})
        for component in application.components():
            found.add(component.image)
            if "-" in component.name:  # `user` and `search` are ordinary words
                found.add(component.name)
    return found - OWN_WORDS


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    files = [file for pattern in ("*.py", "*.yaml") for file in sorted(SOURCES.rglob(pattern))]
    assert len(files) > 100
    return {str(file.relative_to(ROOT)): file.read_text(encoding="utf-8") for file in files}


def test_the_cluster_names_no_application_problem_or_fault(texts: dict[str, str]) -> None:
    told = [
        f"{file}: {name}"
        for name in sorted(names())
        for file, text in texts.items()
        # A plain search is much faster than a pattern, and hardly anything is found.
        if name in text and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)
    ]
    assert told == []


def test_the_search_finds_what_it_looks_for() -> None:
    assert {"hotel-reservation", "service-selector", "mongodb-geo", "mongo:4.4.6"} <= names()


def test_nothing_in_the_cluster_asks_which_fault_is_active(texts: dict[str, str]) -> None:
    asking = re.compile(r"active_fault|fault_active|is_injected|injected_fault|current_fault")
    assert [file for file, text in texts.items() if asking.search(text)] == []


def fixture_paths(image_files: list[Path]) -> set[str]:
    """Repositories and registries that only recordings and tests know."""
    documents = [yaml.safe_load(file.read_text(encoding="utf-8")) for file in image_files]
    repositories = {image["repository"] for one in documents for image in one["images"]}
    return {"registry.example"} | {name.partition("/")[2] for name in repositories} - PUBLIC


def test_what_the_recordings_need_stands_in_no_product() -> None:
    names = fixture_paths([ROOT / "tests" / "conformance" / "images.yaml"])
    assert {"registry.example", "shop/flaky"} <= names
    wanted = re.compile("|".join(map(re.escape, sorted(names))))
    found = [
        f"{file.relative_to(ROOT)}: {match[0]}"
        for pattern in ("*/src/**/*", "plugins/*/src/**/*")
        for file in sorted(ROOT.glob(pattern))
        if file.suffix in (".py", ".yaml", ".yml", ".json", ".toml", ".txt")
        for match in wanted.finditer(file.read_text(encoding="utf-8"))
    ]
    assert found == []
