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
    """Import each in a process of its own; returns how many fail."""
    waiting, running, failed = sorted(modules), {}, 0
    while waiting or running:
        while waiting and len(running) < (os.cpu_count() or 1):
            name = waiting.pop()
            sys.stdout.flush()
            running[_fork(name)] = name
        process, status = os.wait()
        name = running.pop(process)
        if status:
            failed += 1
            print(f"{name} cannot be imported alone", flush=True)
    return failed


def _fork(name: str) -> int:
    process = os.fork()
    if process:
        return process
    try:
        warnings.simplefilter("error")
        importlib.import_module(name)
    except BaseException:
        traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main([layer.split(",") for layer in sys.argv[1:]]))
