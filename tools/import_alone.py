"""Import each named module in a process of its own, warnings being errors; print what fails.

Processes are forked from one that has the third-party packages and the layers below loaded already,
so a module costs milliseconds. Usage, lowest layer first: python import_alone.py MODULE,MODULE...
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
import warnings

OTHERS = (
    "aiohttp",
    "argparse",
    "importlib_metadata",
    "kubernetes.client",
    "kubernetes.stream",
    "orjson",
    "pluggy",
    "pydantic",
    "pytest",
    "rich",
    "structlog",
    "yaml",
)


def main(layers: list[list[str]]) -> int:
    for name in OTHERS:
        importlib.import_module(name)
    assert not [name for name in sys.modules if name.startswith("sregym")]
    failed = 0
    for modules in layers:
        failed += check(modules)
        if failed:
            break
        # Each module of the next layer would load these again; they are proved by now.
        for name in modules:
            importlib.import_module(name)
    return 1 if failed else 0


def check(modules: list[str]) -> int:
    """Import each in a process of its own; returns how many fail.

    Importing `room.part` imports `room` first. Where that loads `room.part` already, the two are the
    same act, so packages come first and what they load of their own is proved with them.
    """
    proved: set[str] = set()
    failed = 0
    for depth in sorted({name.count(".") for name in modules}):
        level = sorted(name for name in modules if name.count(".") == depth)
        waiting = [name for name in level if name not in proved]
        running: dict[int, tuple[str, int]] = {}
        while waiting or running:
            while waiting and len(running) < (os.cpu_count() or 1):
                name = waiting.pop()
                process, pipe = _fork(name)
                running[process] = (name, pipe)
            process, status = os.wait()
            name, pipe = running.pop(process)
            with os.fdopen(pipe, encoding="utf-8") as stream:
                proved.update(stream.read().split())
            if status:
                failed += 1
                print(f"{name} cannot be imported alone", flush=True)
    return failed


def _fork(name: str) -> tuple[int, int]:
    """Start a process that imports a module; gives its id and a pipe with what that loaded below it."""
    sys.stdout.flush()
    reading, writing = os.pipe()
    process = os.fork()
    if process:
        os.close(writing)
        return process, reading
    try:
        warnings.simplefilter("error")
        importlib.import_module(name)
        below = [loaded for loaded in sys.modules if loaded.startswith(f"{name}.")]
        # A pipe holds 64 KiB: enough for the names, so nobody waits for a reader.
        os.write(writing, " ".join(below).encode())
    except BaseException:
        traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main([layer.split(",") for layer in sys.argv[1:]]))
