"""What simulated stores say of troubles below them, beside what real ones say on a real kernel.

`tests/kernels/words.yaml` is what real ones say: `tox -e kernels` looks whether they still do.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from sregym_cluster_embedded.userland.disk import DataFile, DiskProblem
from sregym_server_sql.postgres_kind import PostgresKind
from sregym_server_sql.postgres_panic import fall

WORDS = yaml.safe_load(
    (Path(__file__).resolve().parents[1] / "kernels" / "words.yaml").read_text(encoding="utf-8")
)
FILE = DataFile("", "", PostgresKind.main_file)


def alike(text: str) -> str:
    """Without what differs from one server to the next: numbers of files and blocks, who said it."""
    text = re.sub(r"^.*?(?=ERROR: )|\s*\(SQLSTATE \w+\)$", "", text)
    text = re.sub(r"base/\d+/\d+", "base/N/N", text)
    return " ".join(re.sub(r"block \d+", "block N", text).split())


@pytest.mark.parametrize(
    ("case", "trouble", "write"),
    [
        ("pread64 EIO of a table", DiskProblem("EIO"), False),
        ("pwrite64 ENOSPC of a table", DiskProblem("ENOSPC"), True),
        ("fsync EIO", DiskProblem("EIO", call="fsync"), True),
    ],
)
def test_postgresql(case: str, trouble: DiskProblem, write: bool) -> None:
    kind, nothing = PostgresKind(), None
    real = alike(WORDS["postgres"][case]["lines"][0])
    assert alike(kind.withstands(trouble, FILE, "", write)) == real
    if not write:
        world: Any = nothing
        assert [alike(said.text) for said in kind.unread(world, world, trouble)] == [real]


def test_postgresql_that_cannot_sync() -> None:
    """It gives up, cannot recover, and ends: in the words and in the order of the real one."""
    said = fall(DiskProblem("EIO", call="fsync"), 61, "DIR/data", "2026-11-28 07:10:47.112 UTC")
    texts = [re.sub(r"^\{at\} \[\d+\] |(?<=PID )\d+", "", one.text) for one in said]
    real = [line.replace("pid N", "PID ") for line in WORDS["postgres"]["fsync EIO"]["lines"]]
    assert [text for text in texts if text in real] == real
