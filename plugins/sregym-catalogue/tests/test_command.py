"""`sregym catalogue`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from sregym_core.errors import ExitCode
from sregym_testing import SregymProject

Project = Callable[..., SregymProject]


def test_pages_of_what_is_installed(sregym_project: Project, tmp_path: Path) -> None:
    done = sregym_project().run("catalogue", str(tmp_path / "site"), "--json")
    assert (done.exit_code, done.err) == (ExitCode.DONE, "")
    told = json.loads(done.out)
    assert told["pages"] == told["problems"] + 1 > 30
    index = Path(told["index"])
    linked = re.findall(r'href="(problems/[^"]+)"', index.read_text(encoding="utf-8"))
    assert len(linked) == told["problems"]
    for link in linked:
        assert (index.parent / link).is_file()
    assert '<span class="whole">hotel-reservation</span>' in index.read_text(encoding="utf-8")


def test_no_page_tells_an_answer(sregym_project: Project, tmp_path: Path) -> None:
    project = sregym_project()
    project.run("catalogue", str(tmp_path / "site"))
    shown = project.run("show", "wrong_service_selector_hotel_reservation", "--reveal", "--json")
    truth = json.loads(shown.out)
    page = tmp_path / "site" / "problems" / "wrong_service_selector_hotel_reservation.html"
    text = page.read_text(encoding="utf-8")
    assert truth["title"] not in text
    assert truth["faults"][0]["fault"] not in text
    changed = truth["revealed"][0]["ground_truth"]["changed"]
    assert changed["after"] not in text


def test_measured_difficulty_is_shown(sregym_project: Project, tmp_path: Path) -> None:
    figures = tmp_path / "difficulty.json"
    name = "wrong_service_selector_hotel_reservation"
    one = {"id": name, "expert_steps": 417, "signals": [], "playbook": False, "shortcuts": ["a"]}
    figures.write_text(json.dumps([one]), encoding="utf-8")
    done = sregym_project().run("catalogue", str(tmp_path / "site"), "--difficulty", str(figures))
    assert (done.exit_code, done.err) == (ExitCode.DONE, "")
    assert done.out == f"{_pages(tmp_path / 'site')} pages: open {tmp_path}/site/index.html\n"
    page = tmp_path / "site" / "problems" / f"{name}.html"
    assert "<td>417</td>" in page.read_text(encoding="utf-8")


def _pages(folder: Path) -> int:
    return len(list(folder.rglob("*.html")))


def test_a_missing_file_of_figures(sregym_project: Project, tmp_path: Path) -> None:
    gone = tmp_path / "gone.json"
    done = sregym_project().run("catalogue", str(tmp_path), "--difficulty", str(gone))
    assert (done.exit_code, done.out) == (ExitCode.USAGE, "")
    assert done.err == (
        f"sregym: {gone}: No such file or directory; "
        f"make it with: sregym difficulty --json > {gone}\n"
    )


def test_a_broken_file_of_figures(sregym_project: Project, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('[{"id": "a", "expert_steps": "many", "playbook": true}]', encoding="utf-8")
    done = sregym_project().run("catalogue", str(tmp_path), "--difficulty", str(broken))
    assert (done.exit_code, done.out) == (ExitCode.USAGE, "")
    assert done.err == (
        f"sregym: {broken}: field '[0].expert_steps': must be a whole number, not 'many'; "
        f"make it again with: sregym difficulty --json > {broken}\n"
    )


def test_a_folder_that_cannot_be_written(sregym_project: Project, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("", encoding="utf-8")
    done = sregym_project().run("catalogue", str(taken))
    assert (done.exit_code, done.out) == (ExitCode.USAGE, "")
    assert done.err == (
        f"sregym: {taken}/problems: Not a directory; name a folder that can be written\n"
    )
