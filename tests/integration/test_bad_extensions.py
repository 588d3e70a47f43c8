"""Whatever is wrong with an extension of the simulation is told as that one's; all others work."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from sregym_core.errors import ExitCode
from sregym_testing import SregymProject

HEAD = "from sregym_apps.simulation import Command, Extension, ServerKind, WireProtocol\n\n"
KIND = "ServerKind(name={!r}, program='a:b', behaviour='a:b')"
# Name of the distribution behind `acme-` -> code of its module, and what is told.
BAD = {
    "wrong-list": (
        f"{HEAD}EXTENSION = Extension(name='x', commands=('walk',))\n",
        "acme_wrong_list:EXTENSION cannot be imported: TypeError: Extension 'x': commands[0] is 'walk', "
        "not a Command (acme_wrong_list.py:3)",
    ),
    "wrong-map": (
        f"{HEAD}EXTENSION = Extension(name='x', tool_sets=[('a', 'b')])\n",
        "acme_wrong_map:EXTENSION cannot be imported: TypeError: Extension 'x': tool_sets is [('a', 'b')], "
        "not a Mapping (acme_wrong_map.py:3)",
    ),
    "no-tuple": (
        f"{HEAD}EXTENSION = Extension(name='x', subsystems=['a:b'])\n",
        "acme_no_tuple:EXTENSION cannot be imported: TypeError: Extension 'x': subsystems is ['a:b'], "
        "not a tuple (acme_no_tuple.py:3)",
    ),
    "odd-command": (
        f"{HEAD}EXTENSION = Extension(name='x', commands=(Command(3, 'a:b'),))\n",
        "its container command is named 3; a name has letters, digits and . _ + - [ alone",
    ),
    "odd-kind": (
        f"{HEAD}EXTENSION = Extension(name='x', server_kinds=({KIND.format('a kind')},))\n",
        "its server kind is named 'a kind'; a name has letters, digits and . _ + - [ alone",
    ),
    "twice": (
        f"{HEAD}EXTENSION = Extension(name='x', commands=(Command('run', 'c:d'), Command('run', 'd:e')))\n",
        "it offers the container command 'run' twice; keep one of them",
    ),
    "taken": (
        f"{HEAD}EXTENSION = Extension(name='x', protocols=(WireProtocol('http', 81),))\n",
        "its protocol 'http' is one that there is already; give it another name",
    ),
    "walker": (
        f"{HEAD}EXTENSION = Extension(name='x', server_kinds=({KIND.format('strider')},))\n",
        "server kind 'strider' is offered by two distributions, 'acme-strider 1.0' and "
        "'acme-walker 1.0'; uninstall one or set SREGYM_DISABLE=acme-walker",
    ),
    "exits": (
        "import sys\n\nsys.exit(4)\n",
        "acme_exits:EXTENSION cannot be imported: SystemExit: 4 (acme_exits.py:3)",
    ),
    "no-extension": (
        "EXTENSION = 3\n",
        "its entry point of 'sregym.simulation' leads to 3, which is no sregym_apps.simulation.Extension",
    ),
    "exits-later": (
        "class E:\n    name = 'x'\n\n    def components(self):\n        raise SystemExit(3)\n\n"
        "    def clash_with(self, other):\n        return ''\n\n\nEXTENSION = E()\n",
        "its extension cannot say what it adds: SystemExit: 3 (acme_exits_later.py:5)",
    ),
}
GOOD = {
    "strider": f"{HEAD}EXTENSION = Extension(name='strider', server_kinds=({KIND.format('strider')},))\n",
    "half": f"{HEAD}EXTENSION = Extension(name='half', commands=(Command('stride', 'acme_none:go'),))\n",
}


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("extensions")
    for name, code in {**{name: code for name, (code, _) in BAD.items()}, **GOOD}.items():
        module = f"acme_{name.replace('-', '_')}"
        (folder / f"{module}.py").write_text(code)
        about = folder / f"{module}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: acme-{name}\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(
            f"[sregym.simulation]\nacme-{name} = {module}:EXTENSION\n"
        )
    return {"PYTHONPATH": str(Path(folder))}


def test_each_is_listed_with_its_reason(
    sregym_project: Callable[..., SregymProject], environment: dict[str, str]
) -> None:
    done = sregym_project().run("plugins", "--json", env=environment)
    assert (done.exit_code, done.err) == (ExitCode.DONE, "")
    listed = {
        entry["name"].removeprefix("acme-"): (entry["state"], entry["reason"])
        for entry in json.loads(done.out)
        if entry["name"].startswith("acme-")
    }
    assert listed == {
        **{name: ("broken", reason) for name, (_, reason) in BAD.items()},
        **dict.fromkeys(GOOD, ("ok", "")),
    }


@pytest.mark.parametrize(
    "words",
    [("problems",), ("--help",), ("run", "wrong_service_selector_hotel_reservation", "--agent", "expert")],
)  # fmt: skip
def test_other_commands_work(
    sregym_project: Callable[..., SregymProject],
    environment: dict[str, str],
    words: tuple[str, ...],
) -> None:
    assert sregym_project().run(*words, env=environment).exit_code == ExitCode.DONE


def test_what_cannot_be_imported_is_told_by_lint(
    sregym_project: Callable[..., SregymProject], environment: dict[str, str]
) -> None:
    done = sregym_project().run("lint", "acme-half", "acme-exits", env=environment)
    assert (done.exit_code, done.out) == (
        ExitCode.FAILED,
        "acme-half 1.0: container command 'stride' of acme-half 1.0 cannot be imported from acme_none:go: "
        "ModuleNotFoundError: No module named 'acme_none'\n"
        f"acme-exits 1.0: plugin 'acme-exits' is broken: {BAD['exits'][1]}\n",
    )
