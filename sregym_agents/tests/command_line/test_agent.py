"""A vendor's program in a session: what it gets, what is noted of it, how it ends."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sregym_agents.testing import LeapingWall
from sregym_core.errors import BudgetExceededError, UsageError
from sregym_core.interfaces import Stage
from sregym_core.model import Tokens
from sregym_testing import ScriptedSession

MakeAgent = Callable[..., Any]
NewSession = Callable[..., ScriptedSession]

WHOLE = """
kept = os.environ["HOME"] + "/kept"
os.mkdir(kept)
def used(*counts):
    with open(kept + "/a.jsonl", "a") as file:
        file.write(json.dumps({"used": counts}) + "\\n")
tell(version="1.2.3", model="small-2")
tell(said="I look at the version.")
used(100, 5, 60)
version = use("kubectl", command="kubectl version")
used(300, 25, 160)
tell(began="1", tool="Bash", arguments={"command": "ls"})
tell(ended="1", output="notes.txt", ok=True)
tell(of="a later version")
tell(said="It is " + version)
use("submit", text="the cart")
tell(began="2", tool="Read", arguments={"path": "notes.txt"})
use("submit", text="repaired")
print("complaint", file=sys.stderr)
"""


def test_a_whole_episode(acme: MakeAgent, new_session: NewSession, folder: Path) -> None:
    session = new_session()
    acme(WHOLE).run(session)
    assert session.submissions == ["the cart", "repaired"]
    noted = [(call.tool, call.own, call.ok, call.said) for call in session.transcript]
    assert noted == [
        ("kubectl", False, True, "I look at the version."),
        ("Bash", True, True, ""),
        ("submit", False, True, "It is v1.37.1"),
        ("submit", False, True, ""),
        ("Read", True, False, "(end)"),
    ]
    assert [call.tokens for call in session.transcript] == [
        Tokens(prompt=100, completion=5, cached=60),
        Tokens(prompt=200, completion=20, cached=100),
        None,
        None,
        None,
    ]
    assert session.tokens == Tokens(prompt=300, completion=25, cached=160)
    assert (folder / "agent.log").read_text() == "complaint\n"
    first = (folder / "agent.jsonl").read_text().split("\n")[0]
    assert json.loads(first) == {"version": "1.2.3", "model": "small-2"}
    assert (session.agent_version, session.model) == ("1.2.3", "small-2")


LOOK = """
tell(said=json.dumps({"environment": dict(os.environ), "argv": sys.argv[1:], "cwd": os.getcwd()}))
use("submit", text="the cart")
use("submit", text="repaired")
"""


def test_what_it_gets(
    acme: MakeAgent, new_session: NewSession, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "SSL_CERT_FILE", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv("NO_PROXY", "models.example")
    monkeypatch.setenv("JUDGE_API_KEY", "of the harness")
    monkeypatch.setenv("SREGYM_PLUGINS", "a,b")
    monkeypatch.setenv("MY_FLAG", "on")
    session = new_session()
    agent = acme(
        LOOK,
        model="small",
        base_url="http://127.0.0.1:8000/v1",
        arguments="--effort 'very high'",
        pass_env="MY_FLAG",
    )
    agent.run(session)
    seen = json.loads(session.transcript[0].said)
    prompt = (
        f"{session.instruction}\n"
        "All your tools are those of the MCP server operations. Hand in with its tool submit, each "
        "thing once.\nDo not end before all that is asked for is handed in.\n"
    )
    assert seen["argv"] == ["--model", "small", "--effort", "very high", "--", prompt]
    assert seen["cwd"] == str(folder / "workspace")
    for name in ("PWD", "LC_CTYPE", "OLDPWD", "SHLVL", "_"):  # of the shell and the interpreter
        seen["environment"].pop(name, None)
    left_over = {
        name: value
        for name, value in seen["environment"].items()
        if name.upper() not in ("HTTP_PROXY", "ALL_PROXY", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS")
    }
    assert left_over == {
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder / "home"),
        "HTTPS_PROXY": "http://proxy.example:3128",
        "NO_PROXY": "models.example,127.0.0.1,localhost",
        "KUBECONFIG": str(folder / "kubeconfig"),
        "ACME_KEY": "of acme",
        "ACME_SETTINGS": str(folder / "home" / "settings.json"),
        "ACME_SERVER": "operations",
        "ACME_AT": "http://127.0.0.1:8000/v1",
        "MY_FLAG": "on",
    }
    assert (folder / "home" / "settings.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bwrap is not installed")
def test_behind_walls(
    acme: MakeAgent, new_session: NewSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGE_API_KEY", "of the harness")
    monkeypatch.delenv("NO_PROXY", raising=False)
    session = new_session()
    # The provider is reached at a port below 1024 by default, as providers are.
    acme(LOOK, isolation="bubblewrap").run(session)
    assert session.submissions == ["the cart", "repaired"]
    seen = json.loads(session.transcript[0].said)
    for name in ("PWD", "LC_CTYPE", "OLDPWD", "SHLVL", "_", "PATH"):
        seen["environment"].pop(name, None)
    assert seen["cwd"] == "/work/workspace"
    assert seen["environment"] == {
        "LANG": "C.UTF-8",
        "HOME": "/work/home",
        "NO_PROXY": "127.0.0.1,localhost",
        "KUBECONFIG": "/session/kubeconfig",
        "ACME_KEY": "of acme",
        "ACME_SETTINGS": "/work/home/settings.json",
        "ACME_SERVER": "operations",
        "ACME_AT": "",
    }


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "print('no licence', file=sys.stderr); sys.exit(3)",
            "acme-agent ended with exit code 3: no licence",
        ),
        (
            "tell(said='x'); tell(failed='the key is not valid'); sys.exit(1)",
            "acme-agent ended with exit code 1: the key is not valid",
        ),
        (
            "tell(said='x'); tell(failed='too many requests')",
            "acme-agent ended with exit code 0: too many requests",
        ),
        ("sys.exit(7)", "acme-agent ended with exit code 7"),
    ],
)
def test_programs_that_fail(
    acme: MakeAgent, new_session: NewSession, folder: Path, body: str, message: str
) -> None:
    session = new_session()
    with pytest.raises(RuntimeError) as failed:
        acme(body, submit_final_message="true").run(session)
    where = f"what it wrote is in {folder / 'agent.log'} and agent.jsonl beside it"
    assert str(failed.value) == f"{message}; {where}"
    assert (session.stage, session.submissions) == (Stage.DIAGNOSIS, [])


def test_lines_that_are_no_events(acme: MakeAgent, new_session: NewSession, folder: Path) -> None:
    session = new_session()
    body = "print('Welcome!'); print('[1]'); tell(said='x'); use('submit', text='the cart'); print('{')"
    acme(body).run(session)
    assert session.submissions == ["the cart"]
    assert (folder / "agent.log").read_text() == (
        "3 lines of its output could not be read as events, the first: Welcome!\n"
    )


def test_a_program_of_another_version(
    acme: MakeAgent, new_session: NewSession, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = acme("tell(message='new words for everything')")
    monkeypatch.setattr(type(agent.reader()), "close", lambda self: ())
    with pytest.raises(RuntimeError) as unknown:
        agent.run(new_session())
    assert str(unknown.value) == (
        "acme-agent ended without an event that is understood, perhaps a version with others; "
        f"what it wrote is in {folder / 'agent.log'} and agent.jsonl beside it"
    )


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("tell(trouble='no route'); tell(said='Let me think.')", ""),
        (
            "tell(said='Let me think.'); tell(trouble='no route')",
            "; acme-agent was trying again: no route",
        ),
    ],
)
def test_a_program_that_hangs(
    acme: MakeAgent,
    new_session: NewSession,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    body: str,
    why: str,
) -> None:
    events = folder / "agent.jsonl"
    wall = LeapingWall(lambda: len(events.read_text().splitlines()) == 2)
    monkeypatch.setattr("sregym_agents.command_line.process.time", wall)
    session = new_session()
    with pytest.raises(BudgetExceededError) as over:
        acme(f"{body}; time.sleep(300)").run(session)
    assert str(over.value) == f"the budget of 60 wall-clock seconds is used up{why}"
    assert session.last_words == "Let me think.\n\n(end)"


def test_tokens_run_out_before_the_call(acme: MakeAgent, new_session: NewSession) -> None:
    session = new_session(tokens=104)
    with pytest.raises(BudgetExceededError) as over:
        acme(WHOLE).run(session)
    assert str(over.value) == "the budget of 104 tokens is used up"
    assert [call.tool for call in session.transcript] == []


SPEAK = """
tell(said="I look around.")
{act}
tell(said="It is the cart.")
"""


@pytest.mark.parametrize(
    ("option", "act", "submitted"),
    [
        ("false", "", []),
        ("true", "", ["(end)", "(end)"]),
        ("true", "use('submit', text='the geo service')", ["the geo service", "(end)"]),
    ],
)
def test_the_final_message_can_be_handed_in(
    acme: MakeAgent, new_session: NewSession, option: str, act: str, submitted: list[str]
) -> None:
    session = new_session()
    acme(SPEAK.format(act=act), submit_final_message=option).run(session)
    assert session.submissions == submitted


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"modle": "small"},
            "agent 'acme' has no option 'modle'; it has: model, base_url, program, arguments, "
            "submit_final_message, isolation, share, reach, pass_env, image, memory_mib, processors",
        ),
        (
            {"submit_final_message": "yes"},
            "agent 'acme', option 'submit_final_message': 'yes' is neither true nor false",
        ),
        (
            {"isolation": "jail"},
            "agent 'acme', option 'isolation': 'jail' is not one of none, bubblewrap, docker, podman",
        ),
        (
            {"arguments": "--effort 'high"},
            "agent 'acme', option 'arguments': No closing quotation in \"--effort 'high\"",
        ),
    ],
)
def test_options_of_no_use(acme: MakeAgent, options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        acme(**options)
    assert str(refused.value) == message


def test_a_key_is_needed(acme: MakeAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    make = type(acme())
    options = dict(acme().options)
    monkeypatch.delenv("ACME_KEY")
    with pytest.raises(UsageError) as refused:
        make(options)
    assert str(refused.value) == (
        "agent 'acme' needs a key of its provider: set ACME_KEY or ACME_LOGIN, or name what "
        "acme-agent logs in with in --agent-option pass_env=NAME,NAME"
    )
    for more in ({"base_url": "http://localhost:8000"}, {"pass_env": "AWS_PROFILE"}):
        make({**options, **more})
    monkeypatch.setenv("ACME_LOGIN", "of acme")
    make(options)
