"""Whatever is wrong with a plugin is told as that plugin's, with its line; all others work."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from sregym_core.errors import ExitCode
from sregym_dev.package import Package
from sregym_testing import SregymProject

from sregym_core import __version__

HEAD = "from sregym_core import Registration, hookimpl\n\n@hookimpl\n"
AGENTS = f"{HEAD}def sregym_register_agents():\n"
AGENT = (
    "from sregym_core.interfaces import Agent, Oracle\nfrom sregym_core.model import Verdict\n\n"
)


@dataclass(frozen=True)
class Bad:
    """A distribution `acme-NAME` with a module of that name, and what is to be said of it."""

    code: str
    reason: str
    needs: str = ""
    entry: str = ""


PLUGINS = {
    "wrong_type": Bad(
        f"{AGENTS}    return ['x', 3]\n",
        "sregym_register_agents gives 'x' where a sregym_core.Registration is due (acme_wrong_type.py:3)",
    ),
    "no_folder": Bad(
        f"{HEAD}def sregym_register_problems():\n    return ['problems']\n",
        "sregym_register_problems gives 'problems' where a folder is due: "
        "importlib.resources.files(...) (acme_no_folder.py:3)",
    ),
    "no_word": Bad(
        f"{AGENTS}    return [Registration(3, 'a:b')]\n",
        "sregym_register_agents gives a Registration whose name is 3; a word is due (acme_no_word.py:3)",
    ),
    "no_target": Bad(
        f"{AGENTS}    return [Registration('walker', None)]\n",
        "sregym_register_agents gives a Registration of 'walker' whose target is None; "
        "'package.module:Class' or a class is due (acme_no_target.py:3)",
    ),
    "no_list": Bad(
        f"{AGENTS}    return 3\n",
        "sregym_register_agents raised TypeError: 'int' object is not iterable (acme_no_list.py:3)",
    ),
    "endless": Bad(
        f"{AGENTS}    while True:\n        yield Registration('walker', 'a:b')\n",
        "sregym_register_agents registers more than 10000 things (acme_endless.py:3)",
    ),
    "raises": Bad(
        f"{AGENTS}    raise RuntimeError('no licence')\n",
        "sregym_register_agents raised RuntimeError: no licence (acme_raises.py:5)",
    ),
    "exits_later": Bad(
        f"{AGENTS}    raise SystemExit(3)\n",
        "sregym_register_agents raised SystemExit: 3 (acme_exits_later.py:5)",
    ),
    "recursive": Bad(
        f"{AGENTS}    return sregym_register_agents()\n",
        "sregym_register_agents raised RecursionError: maximum recursion depth exceeded "
        "(acme_recursive.py:5)",
    ),
    "exits": Bad(
        "import sys\n\nsys.exit(7)\n",
        "acme_exits cannot be imported: SystemExit: 7 (acme_exits.py:3)",
    ),
    "interrupts": Bad(
        "raise KeyboardInterrupt\n",
        "acme_interrupts cannot be imported: KeyboardInterrupt (acme_interrupts.py:1)",
    ),
    "imports": Bad(
        "import os\nimport acme_nothing\n",
        "acme_imports cannot be imported: ModuleNotFoundError: No module named 'acme_nothing' "
        "(acme_imports.py:2)",
    ),
    "syntax": Bad(
        "x = 1\ndef f(:\n",
        "acme_syntax cannot be imported: SyntaxError: invalid syntax (acme_syntax.py, line 2) "
        "(acme_syntax.py:2)",
    ),
    "missing": Bad(
        "",
        "acme_lost.plugin cannot be imported: ModuleNotFoundError: No module named 'acme_lost'",
        entry="acme_lost.plugin",
    ),
    "old": Bad(
        "raise RuntimeError('imported')\n",
        f"it needs sregym-core <8,>=7.1, and {__version__} is installed; install a version of it that fits",
        needs="sregym-core<8,>=7.1",
    ),
    "abstract": Bad(
        f"{AGENT}{AGENTS}    return [Registration('idle', 'acme_abstract:Idle')]\n\n"
        "class Idle(Agent):\n    name = 'idle'\n",
        "agent 'idle' of acme-abstract 1.0 is abstract, it lacks: run (acme_abstract.py:10)",
    ),
    "half": Bad(
        f"{AGENTS}    return [Registration('ghost', 'acme_half_ghost:Ghost')]\n",
        "agent 'ghost' of acme-half 1.0 cannot be imported from acme_half_ghost:Ghost: "
        "ModuleNotFoundError: No module named 'acme_half_ghost'",
    ),
    "lost_fault": Bad(
        f"{HEAD}def sregym_register_injectors():\n    return [Registration('lost', 'acme_lost_code:Lost')]\n",
        "fault 'lost' of acme-lost-fault 1.0 cannot be imported from acme_lost_code:Lost: "
        "ModuleNotFoundError: No module named 'acme_lost_code'",
    ),
    "lost_noise": Bad(
        f"{HEAD}def sregym_register_noise_sources():\n    return [Registration('hum', 'acme_hum:Hum')]\n",
        "noise source 'hum' of acme-lost-noise 1.0 cannot be imported from acme_hum:Hum: "
        "ModuleNotFoundError: No module named 'acme_hum'",
    ),
    "misread": Bad(
        f"from pathlib import Path\n{HEAD}def sregym_register_problems():\n"
        "    return [Path(__file__).parent / 'misread']\n",
        "{folder}/misread/slow.yaml (acme-misread 1.0), line 1, field 'title': missing",
    ),
}
GOOD = (
    f"{AGENT}{AGENTS}    return [Registration('walker', 'acme_good:Walker'), Registration('angry', 'acme_good:Angry')]\n\n"
    "@hookimpl\ndef sregym_register_reporters():\n    return [Registration('torn', 'acme_good:Torn')]\n\n"
    "from sregym_core.interfaces import Reporter\n\n"
    "class Walker(Agent):\n    name = 'walker'\n    def run(self, session):\n        1 / 0\n\n"
    "class Angry(Agent):\n    name = 'angry'\n    def __init__(self, options=None):\n        raise OSError('no key')\n"
    "    def run(self, session):\n        pass\n\n"
    "class Torn(Reporter):\n    name = 'torn'\n    def episode_finished(self, record):\n        raise ValueError('ink')\n"
)


def _install(folder: Path, name: str, bad: Bad) -> None:
    module = f"acme_{name}"
    (folder / f"{module}.py").write_text(bad.code)
    needs = f"Requires-Dist: {bad.needs}\n" if bad.needs else ""
    _describe(folder, name, f"acme-{name} = {bad.entry or module}", needs)


def _describe(folder: Path, name: str, entry: str, needs: str = "") -> None:
    """Metadata of a distribution `acme-NAME` with one entry point."""
    about = folder / f"acme_{name}-1.0.dist-info"
    about.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: acme-{name.replace('_', '-')}\nVersion: 1.0\n{needs}"
    (about / "METADATA").write_text(metadata)
    (about / "entry_points.txt").write_text(f"[sregym]\n{entry}\n")


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plugins")
    for name, bad in PLUGINS.items():
        _install(folder, name, bad)
    _install(folder, "good", Bad(GOOD, ""))
    (folder / "misread").mkdir()
    (folder / "misread" / "slow.yaml").write_text(
        "id: slow\napplication: hotel-reservation\nlayer: kubernetes\n"
        "faults: [{fault: service-missing, target: user}]\n"
    )
    return folder


@pytest.fixture
def environment(shelf: Path) -> dict[str, str]:
    return {"PYTHONPATH": str(shelf)}


def test_each_is_listed_with_its_reason(
    sregym_project: Callable[..., SregymProject], environment: dict[str, str], shelf: Path
) -> None:
    done = sregym_project().run("plugins", "--json", env=environment)
    assert (done.exit_code, done.err) == (ExitCode.DONE, "")
    listed = {
        entry["name"].removeprefix("acme-"): (entry["state"], entry["reason"])
        for entry in json.loads(done.out)
        if entry["name"].startswith("acme-") and entry["name"] != "acme-good"
    }
    assert listed == {
        name: ("broken", bad.reason.format(folder=shelf)) for name, bad in PLUGINS.items()
    }


def test_lint_tells_each_reason_once(
    sregym_project: Callable[..., SregymProject], environment: dict[str, str], shelf: Path
) -> None:
    names = [f"acme-{name}" for name in PLUGINS]
    done = sregym_project().run("lint", *names, env=environment)
    assert done.exit_code == ExitCode.FAILED
    told = done.out.splitlines()
    reasons = [
        bad.reason.format(folder=shelf) for name, bad in PLUGINS.items() if name != "misread"
    ]
    # A file has its own form of place and field.
    reasons.append(f"{shelf}/misread/slow.yaml:1: title: missing")
    assert [sum(reason in line for line in told) for reason in reasons] == [1] * len(told)
    assert len(told) == len(reasons)


@pytest.mark.parametrize(
    ("command", "name", "listed"),
    [("faults", "lost_fault", "service-selector"), ("noise", "lost_noise", "false-alerts")],
)
def test_what_cannot_be_used_is_left_out_of_a_list(
    sregym_project: Callable[..., SregymProject],
    environment: dict[str, str],
    command: str,
    name: str,
    listed: str,
) -> None:
    done = sregym_project().run(command, "--json", env=environment)
    assert (done.exit_code, done.err) == (
        ExitCode.DONE,
        f"left out: {PLUGINS[name].reason}\n",
    )
    assert listed in [entry["name"] for entry in json.loads(done.out)]


def test_an_application_whose_files_cannot_be_read_is_left_out_of_pairs(
    sregym_project: Callable[..., SregymProject], tmp_path: Path
) -> None:
    source = Package("app", "acme-blank").write(tmp_path) / "src"
    notes = source / "sregym_app_acme_blank" / "components.yaml"
    notes.write_text("load:\n  kind: load\nweb:\n  kind service\n  callers: [load]\n")
    _describe(source, "blank", "app-acme-blank = sregym_app_acme_blank.plugin")
    done = sregym_project().run("faults", "pairs", "--json", env={"PYTHONPATH": str(source)})
    assert (done.exit_code, done.err) == (
        ExitCode.DONE,
        "left out: application 'acme-blank' of acme-blank 1.0: 'components.yaml', line 5: "
        "not YAML: mapping values are not allowed in this context\n",
    )
    assert {pair["application"] for pair in json.loads(done.out)} >= {"hotel-reservation"}


@pytest.mark.parametrize("words", [("problems",), ("--help",)])
def test_other_commands_work(
    sregym_project: Callable[..., SregymProject],
    environment: dict[str, str],
    words: tuple[str, ...],
) -> None:
    assert sregym_project().run(*words, env=environment).exit_code == ExitCode.DONE


def test_what_is_needed_is_refused_with_its_reason(
    sregym_project: Callable[..., SregymProject], environment: dict[str, str]
) -> None:
    project = sregym_project()
    words = ("run", "wrong_service_selector_hotel_reservation", "--agent")
    for agent, message in (
        ("idle", f"sregym: {PLUGINS['abstract'].reason}\n"),
        (
            "angry",
            "sregym: agent 'angry' of acme-good 1.0 cannot be made: OSError: no key "
            "(acme_good.py:24)\n",
        ),
    ):
        done = project.run(*words, agent, env=environment)
        assert (done.exit_code, done.err) == (ExitCode.PLUGIN, message)


def test_what_raises_in_an_episode_is_told_in_its_record(
    sregym_project: Callable[..., SregymProject], environment: dict[str, str]
) -> None:
    project = sregym_project()
    words = ("run", "wrong_service_selector_hotel_reservation", "--agent", "walker")
    done = project.run(*words, "--report", "torn", "--out", "run", env=environment)
    assert done.exit_code == ExitCode.FAILED
    (line,) = (project.folder / "run" / "episodes.jsonl").read_text().splitlines()
    assert json.loads(line)["stopped"] == (
        "the agent raised ZeroDivisionError: division by zero "
        "(agent 'walker' of acme-good 1.0, acme_good.py:19)"
    )
    assert done.err == (
        "warning: reporter 'torn' raised ValueError: ink "
        "(reporter 'torn' of acme-good 1.0, acme_good.py:31)\n"
    )
