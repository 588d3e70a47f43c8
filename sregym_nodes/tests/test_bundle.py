"""The one file that is sent to nodes."""

from __future__ import annotations

import ast
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

from sregym_nodes.bundle import bundle

CONTENT = {
    name: data
    for archive in [zipfile.ZipFile(io.BytesIO(bundle().content))]
    for name, data in ((name, archive.read(name)) for name in archive.namelist())
}


def test_it_is_the_same_bytes_each_time() -> None:
    assert bundle() == bundle()


def test_nothing_in_it_names_the_project() -> None:
    words = ("sregym", "chaos", "khaos", "harness-", "benchmark")
    assert [
        (name, word)
        for name, data in CONTENT.items()
        for word in words
        if word in data.decode().lower()
    ] == []


def test_it_is_of_an_old_python() -> None:
    for data in CONTENT.values():
        ast.parse(data.decode(), feature_version=(3, 9))


def test_it_runs_as_a_file(tmp_path: Path) -> None:
    file = tmp_path / "nodectl.pyz"
    file.write_bytes(bundle().content)
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(file), "list"],
        input="{}",
        capture_output=True,
        text=True,
        check=True,
    )
    said = json.loads(done.stdout)
    assert (said["changes"], sorted(said["facts"])) == ([], ["cgroups", "kernel", "python", "root"])
