"""Sealed files: they tell nothing, come back as they were, and are not taken from strangers."""

from __future__ import annotations

from pathlib import Path

import pytest
from sregym_core.errors import UsageError
from sregym_core.sealing import Seal, contents


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home/.local/state/sregym"


def test_what_is_sealed_comes_back(tmp_path: Path, state: Path) -> None:
    seal, file = Seal.made(), tmp_path / "journal.jsonl"
    with file.open("ab") as stream:
        stream.write(seal.line(b"the cart\n"))
        stream.write(seal.line(b""))
        stream.write(seal.line(b"\0" * 5000))
    assert b"cart" not in file.read_bytes()
    assert contents(file) == b"the cart\n" + b"\0" * 5000
    assert Seal.of(file) == seal
    seal.close([file])  # once is enough
    seal.reveal([file])
    assert file.read_bytes() == b"the cart\n" + b"\0" * 5000
    seal.reveal([file])
    assert Seal.of(file) is None
    seal.drop()
    assert list(state.iterdir()) == []


def test_equal_contents_of_other_lengths_look_alike(state: Path) -> None:
    seal = Seal.made()
    assert seal.line(b"x") != seal.line(b"x")
    assert len(seal.line(b"x")) == len(seal.line(b"a longer name"))


def test_the_key_is_for_its_owner_alone(state: Path) -> None:
    seal = Seal.made()
    assert (state / seal.id).stat().st_mode & 0o777 == 0o600
    assert state.stat().st_mode & 0o777 == 0o700
    assert seal.key.hex() not in repr(seal)


@pytest.mark.parametrize("how", ["changed", "lost key", "torn", "no key of ours"])
def test_what_no_key_opens(tmp_path: Path, state: Path, how: str) -> None:
    seal, file = Seal.made(), tmp_path / "run.json"
    line = seal.line(b"{}")
    if how == "changed":
        line = line[:60] + (b"A" if line[60:61] != b"A" else b"B") + line[61:]
    elif how == "torn":
        line = line[:500]
    elif how == "no key of ours":
        line = b"sealed ../../x " + line.split(b" ", 2)[2]
    else:
        seal.drop()
    file.write_bytes(line)
    with pytest.raises(UsageError) as caught:
        contents(file)
    assert str(caught.value) == (
        f"{str(file)!r} is sealed until its run is over, and no key in the state folder of this "
        "user opens it; read it as the user and on the machine that began the run"
    )
    if how in ("changed", "torn"):
        seal.reveal([file])
        assert file.read_bytes() == line


def test_without_a_place_for_keys_the_seal_lasts_as_long_as_its_process(
    tmp_path: Path, state: Path
) -> None:
    (tmp_path / "home").write_text("no folder")
    seal, file = Seal.made(), tmp_path / "run.json"
    file.write_bytes(seal.line(b"{}"))
    assert Seal.of(file) is None
    seal.reveal([file])
    assert file.read_bytes() == b"{}"
    seal.drop()
