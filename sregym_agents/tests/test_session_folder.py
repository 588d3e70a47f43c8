"""The folder of a served session: one living process at a time, found by whoever submits."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sregym_agents.session_folder import SessionAddress, claim_folder, find_address, write_address
from sregym_core.errors import UsageError
from sregym_core.settings import Settings

ADDRESS = SessionAddress("http://127.0.0.1:1", "secret")


def test_a_session_is_found_by_its_folder_or_by_the_kubeconfig(tmp_path: Path) -> None:
    write_address(tmp_path, ADDRESS)
    assert find_address(Settings(episode=str(tmp_path))) == ADDRESS
    kubeconfig = str(tmp_path / "kubeconfig")
    assert find_address(Settings(kubeconfig=f"{kubeconfig}:/other")) == ADDRESS
    assert (tmp_path / "session.json").stat().st_mode & 0o777 == 0o600


def test_without_a_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        find_address(Settings(episode="/nowhere"))
    assert str(caught.value) == (
        "no session found in '/nowhere', 'sregym-session'; "
        "set SREGYM_EPISODE to the folder that `sregym up` named"
    )


def test_a_folder_is_claimed_by_one_living_process(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        (tmp_path / "session.pid").write_text(f"{other.pid}\n")
        with pytest.raises(UsageError) as caught:
            claim_folder(tmp_path)
        other.communicate(b"\n")
    assert str(caught.value) == (
        f"folder {str(tmp_path)!r} serves a session already (process {other.pid}); "
        "end it or choose another with --folder"
    )
    claim_folder(tmp_path)
    assert (tmp_path / "session.pid").read_text() == f"{os.getpid()}\n"


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError) as caught:
        claim_folder(tmp_path / "file")
    assert str(caught.value) == (
        f"folder {str(tmp_path / 'file')!r} cannot be written: File exists; "
        "choose another with --folder"
    )


@pytest.mark.parametrize("content", [b"{", b"[]", b"null", b"\xff", b'{"gateway": "http://x"}'])
def test_a_damaged_file(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "session.json"
    file.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        find_address(Settings(episode=str(tmp_path)))
    assert str(caught.value) == (
        f"{str(file)!r} is damaged, so the session cannot be found by it; start `sregym up` again, "
        "or set SREGYM_EPISODE to another folder"
    )


def test_of_several_that_begin_in_the_same_moment_one_has_the_folder(tmp_path: Path) -> None:
    """Each holds what it got until all have tried."""
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from sregym_core.errors import UsageError\n"
        "from sregym_agents.session_folder import claim_folder\n"
        "print('ready', flush=True)\n"
        "input()\n"
        "try:\n"
        "    claim_folder(Path(sys.argv[1]))\n"
        "    print('mine', flush=True)\n"
        "except UsageError:\n"
        "    print('taken', flush=True)\n"
        "input()\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    streams = [(one.stdin, one.stdout) for one in processes]
    said: list[str] = []
    for _ in range(2):
        said = [given.readline() for _, given in streams if given is not None]
        for taken, _ in streams:
            assert taken is not None
            taken.write("go\n")
            taken.flush()
    for process in processes:
        process.communicate()
    assert sorted(said) == ["mine\n", "taken\n", "taken\n", "taken\n"]
