"""Commands that join processes in containers: `run -i`, `attach`, `cp`, `debug`, `logs -f`."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.kubectl import CommandResult, DirectAccess, NotCovered, run
from sregym_cluster_embedded.world import World

BUSYBOX = "registry.example/library/busybox:1.36"
PODS = f"""
apiVersion: v1
kind: Pod
metadata: {{name: box}}
spec:
  containers:
  - name: one
    image: {BUSYBOX}
    command: [sh, -c, "mkdir -p /data/sub; echo a > /data/a; echo b > /data/sub/b; ln -s a /data/l; sleep 36000"]
  - {{name: other, image: {BUSYBOX}, command: [sleep, "36000"]}}
---
apiVersion: v1
kind: Pod
metadata: {{name: typed}}
spec: {{containers: [{{name: typed, image: {BUSYBOX}, command: [sh], stdin: true}}]}}
---
apiVersion: v1
kind: Pod
metadata: {{name: done}}
spec: {{restartPolicy: Never, containers: [{{name: done, image: {BUSYBOX}, command: [echo, hi]}}]}}
"""
NOTICE = (
    "All commands and output from this session will be recorded in container logs, including "
    "credentials and sensitive information passed through the command prompt.\n"
    "If you don't see a command prompt, try pressing enter.\n"
)
# Five letters that each client chooses by chance.
_CHOSEN = re.compile(r"\b(debugger-(?:node\d-)?)\w{5}\b")


@pytest.fixture(scope="module")
def world(recorded_images: Any) -> World:
    made = build(Blueprint(models=recorded_images, seed=5, epoch=int(time.time()) - 120))
    done = run(DirectAccess(made), ["apply", "-f", "-"], PODS)
    assert (done.exit_code, done.stderr) == (0, "")
    made.run_until(made.now + 60)
    return made


@pytest.fixture(scope="module")
def ways(world: World, tmp_path_factory: pytest.TempPathFactory, make_ways: Any) -> Iterator[Any]:
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed")
    made = make_ways(world, tmp_path_factory.mktemp("joining"))
    yield made
    made.close()


def typed(world: World, line: str, stdin: str = "", files: Path | None = None) -> CommandResult:
    return run(DirectAccess(world.fork()), shlex.split(line), stdin, files)


def files_below(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize(
    ("line", "stdin"),
    [
        ("attach typed -i", "echo a\necho b >&2\n"),
        ("attach typed -it -q", "exit 3\n"),
        ("attach typed -i -c x", ""),
        ("attach done", ""),
        (f"debug box --image={BUSYBOX} --target=one -c look -- sleep 60", ""),
        (f"debug box --image={BUSYBOX}", ""),
        (f"debug box --image={BUSYBOX} -c look --profile=restricted --env=A=b", ""),
        (f"debug node/node1 --image={BUSYBOX} -q -c look", ""),
        ("debug box --image=x --profile=y", ""),
        ("debug svc/kubernetes --image=x", ""),
        (f"run count --image={BUSYBOX} --restart=Never --rm -i -q -- wc -l", "a\nb\n"),
        (f"run two words --image={BUSYBOX} -- three", ""),
        ("run x --image=Bad:Name:x", ""),
        ("logs -f done --prefix", ""),
        ("cp box:/nothing ./x", ""),
        ("cp file typed:/no/folder", ""),
        ("cp box:/data x:/y", ""),
        ("cp box: y", ""),
        ("cp box:/data/a .", ""),
    ],
)
def test_it_does_what_the_binary_does(ways: Any, line: str, stdin: str) -> None:
    (ways.folder / "file").write_text("local\n")
    twin, binary = (
        each._replace(
            result=CommandResult(
                each.result.exit_code,
                _CHOSEN.sub(r"\1xxxxx", each.result.stdout),
                each.result.stderr,
            ),
            objects=_CHOSEN.sub(r"\1xxxxx", json.dumps(each.objects, sort_keys=True)),
        )
        for each in ways.runs(shlex.split(line), stdin)
    )
    assert twin.result == binary.result
    assert twin.objects == binary.objects


def test_what_is_copied_from_a_container_is_what_the_binary_copies(
    ways: Any, tmp_path: Path
) -> None:
    for number, words in enumerate((["cp", "box:/data", "d"], ["cp", "box:/data/sub/b", "./e/f"])):
        folders = tmp_path / f"{number}-twin", tmp_path / f"{number}-binary"
        for folder in folders:
            folder.mkdir()
        by_twin, by_binary = ways.runs(words, folders=folders)
        assert by_twin.result == by_binary.result
        assert files_below(folders[0]) == files_below(folders[1]) != {}


def test_what_is_copied_to_a_container_stands_there(world: World, tmp_path: Path) -> None:
    (tmp_path / "d" / "empty").mkdir(parents=True)
    (tmp_path / "d" / "x").write_bytes(b"one\x00\xff\n")
    here = world.fork()
    access = DirectAccess(here)
    for source, target in (("d", "box:/tmp"), ("d/x", "box:/tmp/other")):
        assert run(access, ["cp", source, target], files=tmp_path) == CommandResult(
            0, "", 'Defaulted container "one" out of: one, other\n'
        )
    listed = run(access, ["exec", "box", "-c", "one", "--", "ls", "-R", "/tmp"])
    assert listed.stdout == "/tmp:\nd\nother\n\n/tmp/d:\nempty\nx\n\n/tmp/d/empty:\n"
    (tmp_path / "back").mkdir()
    run(access, ["cp", "box:/tmp/d/x", "back/x"], files=tmp_path)
    assert files_below(tmp_path / "back") == {"x": b"one\x00\xff\n"}


def test_a_pod_that_is_run_attached_to_tells_what_it_wrote_and_ends_as_it(world: World) -> None:
    line = f"run once --image={BUSYBOX} --restart=Never --rm -it -- sh -c 'echo bad; exit 3'"
    assert typed(world, line) == CommandResult(
        3,
        'bad\nbad\npod "once" deleted from default namespace\n',
        "Unable to use a TTY - input is not a terminal or the right kind of file\n"
        f"{NOTICE}warning: couldn't attach to pod/once, falling back to streaming logs: Internal error "
        "occurred: Internal error occurred: error attaching to container: container is in "
        "CONTAINER_EXITED state\npod default/once terminated (Error)\n",
    )


def test_what_was_written_before_somebody_joined_is_told_once(world: World) -> None:
    script = "echo a; sleep 1; echo b"
    line = f"run once --image={BUSYBOX} --restart=Never --rm -i -q -- sh -c '{script}'"
    assert typed(world, line) == CommandResult(0, "a\nb\n", "")


def test_a_pod_that_never_runs_is_given_up(world: World) -> None:
    line = f"run once --image={BUSYBOX}-none --rm -i --pod-running-timeout=4s -- echo a"
    assert typed(world, line) == CommandResult(
        1,
        'pod "once" deleted from default namespace\n',
        "error: timed out waiting for the condition\n",
    )


def test_a_log_is_followed_to_its_end(world: World) -> None:
    here = world.fork()
    access = DirectAccess(here)
    run(
        access,
        shlex.split(
            f"run slow --image={BUSYBOX} --restart=Never -- sh -c 'echo a; sleep 9; echo b'"
        ),
    )
    run(access, ["wait", "pod/slow", "--for=condition=Ready"])
    began = here.now
    assert run(access, ["logs", "-f", "slow"]) == CommandResult(0, "a\nb\n", "")
    assert 8 < here.now - began < 10


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("logs -f box -c one", "a log that does not end"),
        ("attach box", "what does not end"),
        (f"run x --image={BUSYBOX} -i -- sleep 36000", "what does not end"),
        (f"debug box --image={BUSYBOX} --attach -- sleep 36000", "what does not end"),
    ],
)  # fmt: skip
def test_what_does_not_end_is_left_to_the_binary_before_it_begins(
    world: World, line: str, reason: str
) -> None:
    here = world.fork()
    before = (here.digest(), here.now)
    with pytest.raises(NotCovered) as caught:
        run(DirectAccess(here), shlex.split(line))
    assert str(caught.value) == reason
    assert (here.digest(), here.now) == before


def test_files_that_cannot_be_written_are_left_to_the_binary(world: World, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NotCovered) as caught:
        typed(world, "cp box:/data/a file/x", files=tmp_path)
    assert str(caught.value) == "files that cannot be written"
