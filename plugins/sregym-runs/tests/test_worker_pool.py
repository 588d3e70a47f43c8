"""The pool of worker processes, in programs of their own: a process with threads could not fork."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

# Functions of the program's main module, so that spawned workers find them, too.
BEGIN = """
import os, signal, sys, threading, time
from contextlib import contextmanager
from sregym_runs import TaskEnd, WorkerPool

@contextmanager
def opening(number, tell):
    tell(f'worker {number} opened')
    yield tell

def work(tell, task):
    if task == 'dies':
        os.kill(os.getpid(), signal.SIGKILL)
    if task == 'stops':
        os.kill(os.getpid(), signal.SIGSTOP)
    if task == 'raises':
        raise ValueError('no such thing')
    if task == 'unportable':
        return lambda: None
    if task == 'hangs':
        try:
            tell('at it')
            signal.pause()
        except KeyboardInterrupt:
            return 'hangs interrupted'
    return f'{task} done'

def told(end):
    return end.result or f'{end.task}: {end.lost}'
"""
SPAWNED = """
# With a second thread workers are spawned.
threading.Thread(target=threading.Event().wait, daemon=True).start()
"""


def _run(tmp_path: Path, main: str, spawned: bool = False) -> str:
    program = tmp_path / "program.py"
    lines = (SPAWNED if spawned else "") + main
    body = "".join(f"    {line}\n" for line in lines.strip().splitlines())
    program.write_text(f"{BEGIN}\nif __name__ == '__main__':\n{body}")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    done = subprocess.run(
        [sys.executable, str(program)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=120,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    assert list(temporary.iterdir()) == []
    return done.stdout


@pytest.mark.parametrize("spawned", [False, True])
def test_a_lost_worker_costs_its_task_alone(tmp_path: Path, spawned: bool) -> None:
    main = """
heard = []
pool = WorkerPool(work, opening, 2, listener=heard.append, silent_s=3.0)
print(sorted(told(end) for end in pool.each(['a', 'dies', 'b', 'stops', 'c'])))
print(sorted(heard)[:2], pool.free, pool.running)
pool.close()
"""
    assert _run(tmp_path, main, spawned) == (
        "['a done', 'b done', 'c done', 'dies: its worker process was ended from outside, by lack of memory "
        "for instance', 'stops: its worker process did not answer for 3 s and was ended']\n"
        "['worker 1 opened', 'worker 2 opened'] 2 0\n"
    )


def test_a_worker_that_was_ended_while_idle_costs_nothing(tmp_path: Path) -> None:
    main = """
pool = WorkerPool(work, opening, 1)
pool.begin('a')
(first,) = pool.wait(60.0)
(worker,) = __import__('multiprocessing').active_children()
worker.kill()
worker.join()
pool.begin('b')
print(told(first), [told(end) for end in pool.wait(60.0)])
pool.close()
"""
    assert _run(tmp_path, main) == "a done ['b done']\n"


def test_a_deadline_ends_one_task(tmp_path: Path) -> None:
    main = """
pool = WorkerPool(work, opening, 2)
pool.begin('hangs', 0.3)
pool.begin('a', 60.0)
print(pool.free, pool.running)
ends = []
while pool.running:
    ends += pool.wait(60.0)
print([told(end) for end in ends])
pool.close()
"""
    assert _run(tmp_path, main) == ("0 2\n['a done', 'hangs: it did not end within 0.3 s']\n")


def test_waiting_for_what_takes_longer_returns_nothing(tmp_path: Path) -> None:
    main = """
pool = WorkerPool(work, opening, 1)
pool.begin('hangs')
print(pool.wait(0.0), pool.wait(0.1), pool.running)
pool.close()
print(pool.free, pool.running)
"""
    assert _run(tmp_path, main) == "[] [] 1\n1 0\n"


@pytest.mark.parametrize(
    ("task", "error"),
    [
        ("raises", "ValueError: no such thing"),
        ("unportable", "AttributeError: Can't "),  # Pythons word the rest in different ways
    ],
)
def test_what_a_task_raises_is_raised_here_and_the_others_are_not_lost(
    tmp_path: Path, task: str, error: str
) -> None:
    main = f"""
pool = WorkerPool(work, opening, 1)
pool.begin({task!r})
try:
    pool.wait(60.0)
except Exception as error:
    print(f'{{type(error).__name__}}: {{error}}')
pool.begin('a')
print([told(end) for end in pool.wait(60.0)])
pool.close()
"""
    raised, after = _run(tmp_path, main).splitlines()
    assert raised.startswith(error)
    assert after == "['a done']"


def test_an_opening_that_raises_is_raised_here(tmp_path: Path) -> None:
    main = """
class Unportable(Exception):
    def __init__(self, what, why):
        super().__init__(f'{what}: {why}')

def fails(number, tell):
    raise Unportable('plugin', 'broken')

pool = WorkerPool(work, fails, 1)
pool.begin('a')
try:
    pool.wait(60.0)
except Exception as error:
    print(f'{type(error).__name__}: {error}')
pool.close()
"""
    assert _run(tmp_path, main) == "RuntimeError: Unportable: plugin: broken\n"


def test_interrupted_tasks_end_in_order(tmp_path: Path) -> None:
    main = """
heard = []
def interrupt(message):
    heard.append(message)
    if message == 'at it' and heard.count(message) == 2:
        os.kill(os.getpid(), signal.SIGINT)

pool = WorkerPool(work, opening, 2, listener=interrupt, interruptible=True)
ends = []
try:
    for end in pool.each(['hangs', 'hangs', 'never']):
        ends.append(told(end))
except KeyboardInterrupt:
    print(ends, pool.running)
pool.close()
"""
    assert _run(tmp_path, main) == "['hangs interrupted', 'hangs interrupted'] 0\n"


def test_a_worker_that_dies_on_the_signal_for_all_is_told_apart(tmp_path: Path) -> None:
    main = """
def ends(tell, task):
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    tell('at it')
    signal.pause()

def interrupt(message):
    if message == 'at it':
        os.kill(os.getpid(), signal.SIGINT)

pool = WorkerPool(ends, opening, 1, listener=interrupt, interruptible=True)
try:
    for end in pool.each(['a']):
        print(told(end))
except KeyboardInterrupt:
    print('interrupted')
pool.close()
"""
    assert _run(tmp_path, main) == (
        "a: its worker process was ended together with the command\ninterrupted\n"
    )


def test_workers_that_are_not_interruptible_do_not_hear_ctrl_c(tmp_path: Path) -> None:
    main = """
def ignores(tell, task):
    os.kill(os.getpid(), signal.SIGINT)
    return task

pool = WorkerPool(ignores, opening, 1)
try:
    for end in pool.each(['a', 'b']):
        print(told(end))
        if end.task == 'a':
            signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    print('interrupted')
pool.close()
"""
    assert _run(tmp_path, main) == "a\ninterrupted\n"


def test_workers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    main = """
def numbers(tell, task):
    print('at it', flush=True)
    signal.pause()

pool = WorkerPool(numbers, opening, 2)
pool.begin('a')
pool.begin('b')
pool.wait(600.0)
"""
    program = tmp_path / "program.py"
    program.write_text(BEGIN + main)
    with subprocess.Popen(
        [sys.executable, str(program)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == ["at it\n"] * 2
        process.send_signal(signal.SIGKILL)
        # Their common output is closed when all three have ended.
        assert process.communicate(timeout=60)[0] == ""
