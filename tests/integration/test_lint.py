"""All that is wrong with files of authors is told at once, with line, field and nearest names."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml
from sregym_apps.lint import lint_folder
from sregym_core.conductor import ComponentFactory
from sregym_core.errors import ExitCode
from sregym_core.interfaces import Vocabulary
from sregym_core.settings import Settings
from sregym_lint import lint_problem, vocabulary_of
from sregym_testing import SregymProject

HOTEL = files("sregym_app_deathstarbench") / "hotel_reservation"
PROBLEM = """\
id: wrong
title: Much is wrong
application: hotel-reservation
layer: os
faults:
  - fault: service-selectr
    target: user
  - fault: service-selector
    target: usr
  - fault: service-target-port
    target: frontend
    parameters: {ports: 1}
noise: [pod-restat]
oracles:
  diagnosis: [checklist]
  mitigation: [stat]
timming: {warm_up_s: 3}
"""
ORDERS = Path(__file__).parent / "orders"


@cache
def vocabulary() -> Vocabulary | None:
    return vocabulary_of(ComponentFactory(Settings()))


def test_every_defect_of_a_problem_has_its_line() -> None:
    found = lint_problem(PROBLEM, "wrong.yaml", ComponentFactory(Settings()))
    assert [str(defect) for defect in found] == [
        "wrong.yaml:4: layer: 'os' is no layer of its faults, which are of 'kubernetes'",
        "wrong.yaml:6: faults[0].fault: no fault named 'service-selectr'; did you mean 'service-selector' or 'service-selector-wide' or 'service-headless'? There are "
        f"{len(ComponentFactory(Settings()).registry.names('fault'))}; see: sregym faults",
        "wrong.yaml:9: faults[1].target: fault 'service-selector': no component named 'usr'; did you mean 'user'? Known: "
        + ", ".join(
            part.name
            for part in ComponentFactory(Settings()).application("hotel-reservation").components()
        )
        + " (application 'hotel-reservation')",
        "wrong.yaml:12: faults[2].parameters.ports: unknown; did you mean 'port'?",
        "wrong.yaml:13: noise[0]: no noise source named 'pod-restat'; did you mean 'pod-restart'? Known: "
        + ", ".join(ComponentFactory(Settings()).registry.names("noise source")),
        "wrong.yaml:16: oracles.mitigation[0]: no oracle named 'stat'; did you mean 'state'? Known: checklist, judge, replay, state",
        "wrong.yaml:17: timming: unknown; did you mean 'timing'?",
    ]


def test_all_that_a_problem_lacks_is_told() -> None:
    found = lint_problem("id: wrong\nid: again", "bad.yaml", ComponentFactory(Settings()))
    assert [str(defect) for defect in found] == [
        "bad.yaml:1: title: missing",
        "bad.yaml:1: application: missing",
        "bad.yaml:1: layer: missing",
        "bad.yaml:1: faults: missing",
        "bad.yaml:2: id: stands twice, in line 1 and here; the first is without effect",
    ]


def test_shipped_applications_are_without_defects() -> None:
    assert lint_folder(HOTEL, "hotel", vocabulary()) == []
    assert lint_folder(ORDERS, "orders", vocabulary()) == []


MISTAKES = yaml.safe_load((Path(__file__).parent / "orders_mistakes.yaml").read_text())
# What is installed, in messages.
_INSTALLED = re.compile(
    r"(no (?:set of tools or command|kind|protocol) '\w+') \((?:sets|there are): [^)]*\)"
)


def _told(folder: Path) -> list[str]:
    found = lint_folder(folder, "orders", vocabulary(), application="orders")
    return [_INSTALLED.sub(r"\1 (...)", str(defect)) for defect in found]


def _spoiled(folder: Path, mistake: dict[str, str]) -> Path:
    if not folder.exists():
        shutil.copytree(ORDERS, folder)
    file = folder / mistake["file"]
    text = file.read_text()
    assert mistake["was"] in text
    file.write_text(text.replace(mistake["was"], mistake["now"], 1))
    return folder


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: f"{one['file']} {one['now']}")
def test_a_mistake_in_an_application_is_told(tmp_path: Path, mistake: dict[str, Any]) -> None:
    assert _told(_spoiled(tmp_path / "orders", mistake)) == mistake["told"]


def test_several_mistakes_are_told_at_once(tmp_path: Path) -> None:
    wanted = ("fial", "crul", "Reservee", "itms", "oders", "bookng", "acme/order:1.0", "gprc")
    chosen = [one for one in MISTAKES if any(word in one["now"] for word in wanted)]
    chosen = [one for one in chosen if "Reservee" not in one["now"]]  # its client is wrong besides
    for mistake in chosen:
        _spoiled(tmp_path / "orders", mistake)
    told = _told(tmp_path / "orders")
    for mistake in chosen:
        assert set(mistake["told"]) <= set(told)


@pytest.mark.parametrize("as_json", [False, True])
def test_the_command_tells_of_files_and_folders(
    sregym_project: Callable[..., SregymProject], as_json: bool
) -> None:
    project = sregym_project()
    mistake = next(one for one in MISTAKES if "fial" in one["now"])
    _spoiled(project.folder / "orders", mistake)
    (project.folder / "slow.yaml").write_text("id: slow\ntitle: Slow\nlayer: os\nfaults: []\n")
    words = ("orders", "slow.yaml", *(["--json"] if as_json else []))
    done = project.run("lint", *words)
    told = [
        mistake["told"][0],
        "slow.yaml:1: application: missing",
        "slow.yaml:4: faults: must have 1 or more items, not 0",
    ]
    assert done.exit_code == ExitCode.FAILED
    if as_json:
        places = [
            f"{one['file']}:{one['line']}: {one['field']}: {one['what']}"
            for one in json.loads(done.out)
        ]
        assert (places, done.err) == (told, "")
    else:
        assert (done.out.splitlines(), done.err) == (told, "2 places: 3 defects\n")


def test_the_command_knows_plugins(sregym_project: Callable[..., SregymProject]) -> None:
    project = sregym_project()
    done = project.run("lint", "app-deathstarbench", "sregym-server-redis", str(HOTEL))
    assert (done.exit_code, done.out, done.err) == (ExitCode.DONE, "", "3 places: no defects\n")


def test_the_command_refuses_what_it_cannot_look_at(
    sregym_project: Callable[..., SregymProject],
) -> None:
    project = sregym_project()
    (project.folder / "values.yaml").write_text("replicas: 3\n")
    done = project.run("lint", "values.yaml")
    assert (done.exit_code, done.err) == (
        ExitCode.USAGE,
        "sregym: 'values.yaml' is neither a problem nor a service model: it has neither 'faults' nor "
        "'programs' or 'images'\n",
    )
    done = project.run("lint", "app-deathstarbnch")
    assert (done.exit_code, done.err) == (
        ExitCode.USAGE,
        "sregym: no file or folder 'app-deathstarbnch', and no plugin of that name; did you mean "
        "'app-deathstarbench'? (see: sregym plugins)\n",
    )


def test_a_folder_without_files_of_authors_is_no_proof_of_anything(
    sregym_project: Callable[..., SregymProject],
) -> None:
    project = sregym_project()
    (project.folder / "nothing" / "inside").mkdir(parents=True)
    done = project.run("lint", "nothing")
    assert (done.exit_code, done.err) == (
        ExitCode.USAGE,
        "sregym: folder 'nothing' holds nothing that can be looked at: no problem, application or "
        "plugin\n",
    )


def test_modules_that_cannot_be_compiled_are_told_with_their_line(
    sregym_project: Callable[..., SregymProject],
) -> None:
    project = sregym_project()
    package = project.folder / "acme" / "src" / "acme"
    package.mkdir(parents=True)
    (package / "plugin.py").write_text('"""Fine."""\n')
    (package / "fault.py").write_text("class Fault:\n    def inject(self:\n        pass\n")
    (package / "data.py").write_bytes(b"name = '\xff'\n")
    (package / "model.yaml").write_bytes(b"\xff\xfe\x00")
    done = project.run("lint", "acme")
    assert done.exit_code == ExitCode.FAILED
    told = [line.partition(": mend")[0].partition("; mend")[0] for line in done.out.splitlines()]
    assert told[1:] == [
        "acme/src/acme/fault.py:2: not valid Python: '(' was never closed",
        "acme/src/acme/model.yaml: cannot be read: it is not UTF-8",
    ]
    assert told[0].startswith("acme/src/acme/data.py:")
    assert done.out.count("; mend it, nothing that needs this module can be loaded") == 2
