"""Signals that a shell sends to itself, and what is left of its command line."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.interfaces import ClusterSpec, Command


@pytest.fixture(scope="module")
def cluster() -> Any:
    cluster = Embedded().provision(ClusterSpec())
    for name, image in (("box", "busybox"), ("deb", "debian")):
        run = ("kubectl", "run", name, f"--image={image}", "--", "sleep", "9999")
        assert cluster.kubectl(Command(run)).exit_code == 0
    cluster.clock.advance(20)
    yield cluster
    cluster.close()


@pytest.mark.parametrize(
    ("pod", "words", "code", "out", "err"),
    [
        ("box", ("sh", "-c", "echo a; kill -9 $$; echo b"), 137, "a\n", ""),
        ("deb", ("bash", "-c", "echo a; kill -s KILL $BASHPID; echo b"), 137, "a\n", ""),
        ("deb", ("sh", "-c", "kill $$; echo b"), 143, "", ""),
        ("deb", ("sh", "-c", "kill -INT $$; echo b"), 130, "", ""),
        ("box", ("sh", "-c", "kill -HUP $$; echo b"), 129, "", ""),
        ("box", ("sh", "-c", "kill -CHLD $$; kill -0 $$; echo b"), 0, "b\n", ""),
        ("deb", ("bash", "-c", "(echo a; kill -9 $$; echo b); echo c"), 137, "a\n", ""),
        ("deb", ("bash", "-c", "x=$(kill -9 $$); echo c"), 137, "", ""),
        ("deb", ("sh", "-c", "f() { echo f; kill $$; }; for i in 1 2; do f; done"), 143, "f\n", ""),
        ("deb", ("sh", "-c", "trap 'echo caught' TERM; kill $$; echo b"), 0, "caught\nb\n", ""),
        ("deb", ("sh", "-c", "trap '' TERM; kill $$; trap - TERM; kill $$; echo b"), 143, "", ""),
        ("box", ("sh", "-c", "trap 'echo bye; exit 4' INT; kill -2 $$; echo b"), 4, "bye\n", ""),
        ("box", ("sh", "-c", "trap 'echo x' KILL; kill -9 $$; echo b"), 137, "", ""),
        ("deb", ("sh", "-c", "sh -c 'kill $$'; echo $?"), 0, "143\n", "Terminated\n"),
        ("deb", ("sh", "-c", "sh -c 'kill -INT $$'; echo $?"), 0, "130\n", ""),
    ],
)  # fmt: skip
def test_a_shell_obeys_signals_to_itself(
    cluster: Any, pod: str, words: tuple[str, ...], code: int, out: str, err: str
) -> None:
    done = cluster.kubectl(Command(("kubectl", "exec", pod, "--", *words)))
    said = f"command terminated with exit code {code}\n" if code else ""
    assert (done.exit_code, done.stdout, done.stderr) == (code, out, err + said)


def test_bash_names_the_child_that_a_signal_has_ended(cluster: Any) -> None:
    line = "echo $$; bash -c 'kill -9 $$'; echo $?"
    done = cluster.kubectl(Command(("kubectl", "exec", "deb", "--", "bash", "-c", line)))
    pid = int(done.stdout.split()[0])
    assert done.stdout == f"{pid}\n137\n"
    about = f"bash: line 1: {pid + 1:5d} Killed                  bash -c 'kill -9 $$'\n"
    assert done.stderr == about


def test_the_first_process_of_a_container_obeys_only_what_it_handles(cluster: Any) -> None:
    # `$$$$` in a pod spec is `$$` for the shell.
    line = (
        "trap 'echo term; exit 5' TERM; echo $$$$; kill -9 $$$$; kill -USR1 $$$$; kill $$$$; echo b"
    )
    run = ("run", "first", "--image=debian", "--restart=Never", "--", "sh", "-c", line)
    assert cluster.kubectl(Command(("kubectl", *run))).exit_code == 0
    cluster.clock.advance(20)
    assert cluster.kubectl(Command(("kubectl", "logs", "first"))).stdout == "1\nterm\n"
    code = "jsonpath={.status.containerStatuses[0].state.terminated.exitCode}"
    assert cluster.kubectl(Command(("kubectl", "get", "pod", "first", "-o", code))).stdout == "5"
