"""The harness counts what it should: one answer that matches and one that deliberately does not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SCENARIO = """\
id: settings
area: objects
about: a ConfigMap is made and read
namespace: shop-settings
steps:
- files:
    c.yaml: |
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: settings}
      data: {level: info}
  run: kubectl apply -f c.yaml -n shop-settings
  at_s: 0.4
  rc: 0
  stdout: |
    configmap/settings created
  stderr: ''
- until:
  - run: kubectl get cm -n shop-settings
    matches: settings
    waited_s: 0.4
  run: kubectl get cm settings -n shop-settings
  at_s: 1.1
  rc: 0
  stdout: |
    NAME       DATA   AGE
    settings   2      0s
  stderr: ''
- run: kubectl get cm settings -n shop-settings -o jsonpath={.data}
  at_s: 1.3
  rc: 0
  stdout: a text that was another one each time
  stderr: ''
  varies: true
"""
NORMALISER = """\
import re


def steps(recording):
    return [
        (s["run"], s["rc"], re.sub(r"\\d+s$", "AGE", s["stdout"], flags=re.M), bool(s.get("varies")))
        for s in recording["steps"]
    ]
"""
TABLE = """\
| area | matched | total | share |
|---|---:|---:|---:|
| objects | 2 | 3 | 66.7% |
| all | 2 | 3 | 66.7% |
"""


def harness(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(HERE / "run.py"), *arguments], capture_output=True, text=True
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    scenario = tmp_path / "scenarios" / "objects" / "settings.yaml"
    scenario.parent.mkdir(parents=True)
    scenario.write_text(SCENARIO)
    return tmp_path


def test_counts_what_matches_and_shows_the_first_difference(folder: Path) -> None:
    (folder / "normalise.py").write_text(NORMALISER)
    done = harness(str(folder))
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        done.stdout
        == (
            "objects/settings: 2 of 3 match\n"
            "  step 1: $ kubectl get cm settings -n shop-settings\n"
            "    @@ -2,2 +2,2 @@\n"
            "     NAME       DATA   AGE\n"
            "    -settings   2      AGE\n"
            "    +settings   1      AGE\n"
            "\n"
        )
        + TABLE
    )


def test_counts_as_json(folder: Path) -> None:
    (folder / "normalise.py").write_text(NORMALISER)
    done = harness(str(folder), "--json", "--at-least", "67")
    assert done.returncode == 1
    assert json.loads(done.stdout) == {
        "areas": {"objects": {"matched": 2, "total": 3}},
        "matched": 2,
        "total": 3,
    }


def test_without_rules_texts_are_compared_as_they_are(folder: Path) -> None:
    done = harness(str(folder), "--json")
    assert done.stderr == (
        f"{folder} has no normalise.py: texts are compared as they are, so that generated names, "
        "times and addresses count as differences\n"
    )
    assert json.loads(done.stdout)["total"] == 3


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    done = harness(str(tmp_path / "none"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"no recordings: the folder {tmp_path}/none does not exist. Name one that holds "
        "scenarios/AREA/ID.yaml: tox -e conformance -- FOLDER\n"
    )


def test_a_folder_without_recordings_is_named(tmp_path: Path) -> None:
    done = harness(str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"no recordings in {tmp_path}: it holds neither scenarios/AREA/ID.yaml, "
        "sequences/ID.yaml, tables/NAME.json nor discovery/NAME.json\n"
    )


def test_a_name_that_no_recording_has_is_refused(folder: Path) -> None:
    done = harness(str(folder), "--scenario", "none")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == (
        f"no recording in {folder} is named by --area or --scenario"
    )
