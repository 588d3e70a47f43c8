"""Commands with `&` behind them live on in virtual time: visible, killable, gone with the container."""

from __future__ import annotations

from typing import Any

import pytest

HEAD = "PID   USER     COMMAND\n    1 root     sleep 36000\n"


@pytest.fixture
def box(shop: Any) -> Any:
    shop.start_box("sleep", "36000")
    shop.run(1)
    return shop


def ps(box: Any) -> str:
    """What runs besides the main process and `ps` itself."""
    out = box.shell("box", "ps")[1]
    assert out.startswith(HEAD)
    return "".join(f"{line}\n" for line in out[len(HEAD) :].splitlines()[:-1])


def test_a_job_runs_until_its_time_is_over(box: Any) -> None:
    assert box.shell("box", "sleep 100 >/dev/null 2>&1 & echo $!") == (0, "9\n", "")
    assert ps(box) == "    9 root     sleep 100\n"
    box.run(99)
    assert ps(box) == "    9 root     sleep 100\n"
    box.run(2)
    assert ps(box) == ""


def test_a_job_works_on_the_clock(box: Any) -> None:
    script = "nohup sh -c 'for i in 1 2 3; do date +%S; sleep 10; done' > /tmp/log 2>&1 &"
    assert box.shell("box", script) == (0, "", "")
    assert box.shell("box", "cat /tmp/log") == (0, "01\n", "")
    listed = ps(box)
    assert listed == (
        "    9 root     sh -c for i in 1 2 3; do date +%S; sleep 10; done\n"
        "   10 root     sleep 10\n"
    )
    box.run(15)
    assert box.shell("box", "cat /tmp/log") == (0, "01\n11\n", "")
    box.run(20)
    assert (box.shell("box", "cat /tmp/log"), ps(box)) == ((0, "01\n11\n21\n", ""), "")


def test_a_job_can_be_killed(box: Any) -> None:
    box.shell("box", "(while true; do date >> /tmp/log; sleep 5; done) >/dev/null 2>&1 &")
    box.run(11)
    assert box.shell("box", "wc -l < /tmp/log") == (0, "3\n", "")
    assert box.shell("box", "kill -INT 9; kill -0 9; echo $?") == (0, "0\n", "")
    assert box.shell("box", "kill 9") == (0, "", "")
    box.run(30)
    assert box.shell("box", "wc -l < /tmp/log") == (0, "3\n", "")
    assert box.shell("box", "kill 9") == (1, "", "sh: can't kill pid 9: No such process\n")


def test_jobs_are_listed_and_named_by_number(box: Any) -> None:
    script = "sleep 100 >/dev/null 2>&1 & sleep 200 >/dev/null 2>&1 & jobs; kill %1; jobs"
    assert box.shell("box", script) == (
        0,
        "[1]-  Running                    sleep 100\n[2]+  Running                    sleep 200\n"
        "[1]+  Running                    sleep 200\n",
        "",
    )
    assert ps(box) == "   10 root     sleep 200\n"


def test_who_starts_a_job_that_holds_the_streams_waits_for_it(box: Any) -> None:
    run = box.runtime.exec
    held = run(box.world, box.ref("box"), ("sh", "-c", "sleep 30 &"), "")
    assert (held.exit_code, held.duration_s) == (0, 30.0)
    free = run(box.world, box.ref("box"), ("sh", "-c", "sleep 30 > /dev/null 2>&1 &"), "")
    assert (free.exit_code, free.duration_s) == (0, 0.0)
    waits = run(box.world, box.ref("box"), ("sh", "-c", "sleep 7 >/dev/null 2>&1 & wait"), "")
    assert (waits.exit_code, waits.duration_s) == (0, 7.0)


def test_what_never_ends_is_there_until_it_is_killed(box: Any) -> None:
    box.shell("box", "yes > /dev/null 2>&1 & nc -l -p 9000 > /dev/null 2>&1 &")
    box.run(3600)
    assert ps(box) == "    9 root     yes\n   10 root     nc -l -p 9000\n"
    assert box.runtime.listening(box.world, "6", 9000)
    box.shell("box", "kill $(pidof nc)")
    assert not box.runtime.listening(box.world, "6", 9000)
    assert ps(box) == "    9 root     yes\n"


def test_jobs_go_with_the_container(box: Any) -> None:
    box.shell("box", "sh -c 'sleep 5; echo late > /proc/1/fd/1' > /dev/null 2>&1 &")
    box.runtime.kill(box.world, box.ref("box"))
    box.start("box", "registry.example/library/busybox:1.36", "6", 1, command=("sleep", "36000"))
    box.run(10)
    assert (ps(box), box.texts("box")) == ("", [])


def test_forks_go_on_alike(box: Any) -> None:
    box.shell("box", "(while true; do echo x >> /tmp/log; sleep 5; done) >/dev/null 2>&1 &")
    other = box.fork()
    box.run(22)
    other.run(22)
    assert other.shell("box", "cat /tmp/log") == box.shell("box", "cat /tmp/log")
    assert box.shell("box", "wc -l < /tmp/log") == (0, "5\n", "")


def test_a_main_script_goes_on_beside_its_jobs(shop: Any) -> None:
    script = "(while true; do echo tick; sleep 10; done) & sleep 25; echo done; wait"
    shop.start_box("sh", "-c", script)
    shop.run(31)
    assert shop.ended("box") is None
    assert shop.texts("box") == ["tick", "tick", "tick", "done", "tick"]
