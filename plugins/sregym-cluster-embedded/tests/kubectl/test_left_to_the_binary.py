"""What is left to the binary is left with a reason, before anything has happened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from sregym_cluster_embedded.kubectl import DirectAccess, NotCovered, run
from sregym_cluster_embedded.kubectl.kubeconfig import read

HERE = Path(__file__).parent


def left_lines() -> list[tuple[str, str]]:
    """Each reason with a command, which stands indented below it."""
    found, reason = [], ""
    for line in (HERE / "left_lines.txt").read_text().splitlines():
        if line.startswith("    "):
            found.append((reason, line.strip()))
        elif not line.startswith("#"):
            reason = line
    return found


@pytest.fixture(scope="session")
def typed(wide: Any, steps: Any) -> Callable[[str], str]:
    """Runs a line in process on the shop with all kinds, and gives the reason why it is left."""
    files = yaml.safe_load((HERE / "odd_files.yaml").read_text())
    for folder, kustomization in files["kustomizations"].items():
        (wide.folder / folder).mkdir()
        (wide.folder / folder / "bytes").write_bytes(b"\xff")
        for name, text in {**files["resources"], "kustomization.yaml": kustomization}.items():
            (wide.folder / folder / name).write_text(text)
    server = next(iter(read(wide.kubeconfig).clusters.values()))["server"]
    world = wide.present()
    memory: dict[str, Any] = {}
    run(memorizing(wide, world, memory), ["get", "pods"])

    def typed(line: str) -> str:
        access = memorizing(wide, world.fork(), dict(memory))
        filled = line.replace("$SERVER", server).replace("$HOST", server.partition("//")[2])
        (*before, words), stdin = steps(filled)
        for each in before:
            done = run(access, each, files=wide.folder)
            assert done.exit_code == 0, done.stderr
        revision, now = access.world.store.revision, access.world.now
        with pytest.raises(NotCovered) as caught:
            run(access, words, stdin, wide.folder)
        assert (access.world.store.revision, access.world.now) == (revision, now)
        return str(caught.value).replace(server, "$SERVER")

    return typed


def memorizing(wide: Any, world: Any, memory: dict[str, Any]) -> DirectAccess:
    access = DirectAccess(world, kubeconfig=lambda: wide.kubeconfig)
    access.memory = memory
    return access


@pytest.mark.parametrize(("reason", "line"), left_lines())
def test_a_command_is_left_to_the_binary(
    typed: Callable[[str], str], reason: str, line: str
) -> None:
    assert typed(line) == reason


def test_a_token_waits_for_the_binary_to_learn_the_types(wide: Any) -> None:
    server = next(iter(read(wide.kubeconfig).clusters.values()))["server"]
    access = memorizing(wide, wide.present(), {})
    line = f"get pods --token=x --kubeconfig=/dev/null --server={server} --insecure-skip-tls-verify"
    with pytest.raises(NotCovered) as caught:
        run(access, line.split())
    assert str(caught.value) == "a token while the types are not known"
