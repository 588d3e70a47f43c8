"""What an agent did, counted, shown and exported."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from sregym_audit.account import attempts, audit
from sregym_core.errors import ExitCode
from sregym_core.model import ApiRequest, Attempt, EpisodeRecord, Outcome, Tokens, ToolCall
from sregym_kubernetes.tool_classes import tool_class
from sregym_rollouts import trajectory
from sregym_testing import SregymProject

from sregym_core import __version__

Projects = Callable[..., SregymProject]


def kubectl(command: str, at_s: float = 1.0, **more: object) -> ToolCall:
    arguments = {"command": command}
    return ToolCall(at_s=at_s, tool="kubectl", arguments=arguments, digest="d", **more)


RECORD = EpisodeRecord(
    episode="e0001",
    problem="wrong_port",
    agent="brief",
    seed=3,
    instruction="Users report that it does not work.",
    cluster="embedded",
    outcome=Outcome.PASS,
    tokens=Tokens(prompt=100, completion=9, cached=60),
    agent_version="1.2.3",
    model="small",
    last_words="I am done.",
    transcript=(
        kubectl("kubectl get pods -n shop", output="cart-0 Running", exit_code=0),
        ToolCall(at_s=2.0, tool="alerts", output="no alert", digest="e"),
        kubectl("exec cart-0 -- curl -s geo", 3.0, exit_code=6, ok=False),
        kubectl(
            "rollout restart deploy/cart",
            4.0,
            tokens=Tokens(prompt=100, completion=9, cached=60),
            said="A restart may help.",
        ),
        kubectl("get pods", 5.0),
        ToolCall(at_s=6.0, tool="submit", arguments={"stage": "diagnosis", "text": "the\ncart"}),
    ),
)


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("kubectl -n shop get pods", "kubectl read"),
        ("kubectl describe node x", "kubectl read"),
        ("kubectl scale deploy/x --replicas=0", "kubectl write"),
        ("kubectl rollout undo deploy/x", "kubectl write"),
        ("kubectl rollout status deploy/x", "wait"),
        ("kubectl wait --for=condition=Ready pod/x", "wait"),
        ("kubectl exec x -- cat /etc/hosts", "shell"),
        ("kubectl exec x -- nslookup cart", "network"),
        ("kubectl run probe --image=busybox -- wget -qO- cart", "network"),
        ("kubectl run probe --image=busybox", "kubectl write"),
        ("kubectl get pods | grep x", "other"),
    ],
)
def test_classes_of_commands(command: str, kind: str) -> None:
    assert tool_class(kubectl(command)) == kind


def test_the_account() -> None:
    account = audit(RECORD)
    calls = account.pop("calls")
    assert account == {
        "episode": "e0001",
        "problem": "wrong_port",
        "agent": "brief",
        "mode": "standard",
        "outcome": "pass",
        "stopped": "",
        "steps": 6,
        "tokens": {"prompt": 100, "completion": 9, "cached": 60},
        "agent_version": "1.2.3",
        "model": "small",
        "last_words": "I am done.",
        "classes": {
            "kubectl read": 2,
            "kubectl write": 1,
            "observability": 1,
            "network": 1,
            "wait": 0,
            "shell": 0,
            "other": 1,
        },
        "reads_before_first_write": 3,
        "tools": {"kubectl": 4, "alerts": 1, "submit": 1},
        "subcommands": {"get": 2, "exec": 1, "rollout restart": 1},
        "refused_or_failed": 1,
        "attempts": [],
    }
    assert calls[2] == {
        "number": 3,
        "at_s": 3.0,
        "wall_s": 0.0,
        "took_s": 0.0,
        "cost_s": 0.0,
        "tool": "kubectl",
        "class": "network",
        "arguments": {"command": "exec cart-0 -- curl -s geo"},
        "ok": False,
        "exit_code": 6,
        "output": "",
        "truncated": False,
        "digest": "d",
        "tokens": None,
        "said": "",
        "own": False,
    }


@pytest.mark.parametrize(
    ("tool", "arguments", "kind"),
    [
        ("Bash", {"command": "kubectl get pods"}, "shell"),
        ("Read", {"path": "/etc/hosts"}, "other"),
        ("kubectl", {"command": "get pods"}, "shell"),
    ],
)
def test_tools_of_the_agents_own(tool: str, arguments: dict[str, str], kind: str) -> None:
    assert tool_class(ToolCall(at_s=1.0, tool=tool, arguments=arguments, own=True)) == kind


def test_who_changed_nothing_has_no_looks_before() -> None:
    quiet = RECORD.model_copy(update={"transcript": RECORD.transcript[:2], "tokens": None})
    account = audit(quiet)
    assert (account["reads_before_first_write"], account["tokens"]) == (None, None)


def test_the_trajectory() -> None:
    made = trajectory(RECORD)
    steps = made.pop("steps")
    assert made == {
        "schema_version": "ATIF-v1.8",
        "session_id": "e0001",
        "agent": {"name": "brief", "version": "1.2.3", "model_name": "small"},
        "final_metrics": {
            "total_steps": 8,
            "total_prompt_tokens": 100,
            "total_completion_tokens": 9,
            "total_cached_tokens": 60,
        },
        "extra": {
            "problem": "wrong_port",
            "seed": 3,
            "attempt": 1,
            "mode": "standard",
            "cluster": "embedded",
            "outcome": "pass",
            "reason": "",
        },
    }
    assert [step["step_id"] for step in steps] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert steps[7] == {"step_id": 8, "source": "agent", "message": "I am done."}
    assert steps[0] == {
        "step_id": 1,
        "source": "user",
        "message": "Users report that it does not work.",
    }
    assert steps[4] == {
        "step_id": 5,
        "source": "agent",
        "message": "A restart may help.",
        "tool_calls": [
            {
                "tool_call_id": "call_4",
                "function_name": "kubectl",
                "arguments": {"command": "rollout restart deploy/cart"},
            }
        ],
        "observation": {
            "results": [
                {
                    "source_call_id": "call_4",
                    "content": "",
                    "extra": {"ok": True, "truncated": False, "blake2b": "d"},
                }
            ]
        },
        "metrics": {"prompt_tokens": 100, "completion_tokens": 9, "cached_tokens": 60},
        "extra": {"at_s": 4.0, "wall_s": 0.0, "class": "kubectl write", "own": False},
    }


def test_an_agent_of_this_package_has_its_version() -> None:
    silent = RECORD.model_copy(update={"agent_version": "", "model": ""})
    assert trajectory(silent)["agent"] == {"name": "brief", "version": __version__}


@pytest.fixture
def project(sregym_project: Projects) -> SregymProject:
    return sregym_project({"run/episodes/e0001/record.json": RECORD.model_dump_json()})


def test_the_command_for_people(project: SregymProject) -> None:
    done = project.run("audit", "run/episodes/e0001").assert_success()
    assert done.out == (
        "NO  AT S  CLASS          TOOL             ARGUMENTS\n"
        "1   1     kubectl read   kubectl          kubectl get pods -n shop\n"
        "2   2     observability  alerts\n"
        "3   3     network        kubectl  failed  exec cart-0 -- curl -s geo\n"
        "4   4     kubectl write  kubectl          rollout restart deploy/cart\n"
        "5   5     kubectl read   kubectl          get pods\n"
        "6   6     other          submit           diagnosis, the cart\n"
        "\n"
        "6 calls: kubectl read 2, kubectl write 1, observability 1, network 1, other 1\n"
        "kubectl: get 2, exec 1, rollout restart 1\n"
        "3 looks before the first change\n"
        "tokens: 100 in, 60 of them cached, 9 out\n"
    )


def test_the_command_for_programs(project: SregymProject) -> None:
    words = ("audit", "run/episodes/e0001/record.json", "--json", "--atif", "trajectory.json")
    assert project.run(*words).assert_success().json() == audit(RECORD)
    written = json.loads((project.folder / "trajectory.json").read_text())
    assert written == trajectory(RECORD)


def test_what_is_no_episode(project: SregymProject) -> None:
    def said(name: str) -> str:
        return project.run("audit", name).assert_exit(ExitCode.USAGE).err

    assert said("run") == "sregym: 'run' is a run; name one of its episodes: episodes/e0001\n"
    assert said("nowhere") == "sregym: 'nowhere' is no episode: it has no record.json\n"
    Path(project.folder / "broken.json").write_text('{"episode": 5}')
    assert said("broken.json") == (
        "sregym: 'broken.json' is damaged: field 'episode': must be text, not 5; field 'problem': "
        "missing; field 'agent': missing; field 'seed': missing; field 'cluster': missing; "
        "field 'outcome': missing\n"
    )


def test_attempts_are_told_in_the_order_of_time() -> None:
    refused = 'Error from server (Forbidden): nodes "n" is forbidden: ...'
    record = EpisodeRecord(
        episode="e",
        problem="p",
        agent="a",
        seed=1,
        cluster="embedded",
        outcome=Outcome.FAIL,
        transcript=(
            kubectl("kubectl get nodes"),
            kubectl("kubectl delete node n", at_s=3.0, output=refused, ok=False),
            kubectl("kubectl get nothing", at_s=4.0, output="no such thing", ok=False),
            ToolCall(
                at_s=9.0,
                tool="submit",
                arguments={"stage": "done", "text": "again"},
                output="both stages were submitted already; nothing was changed",
                ok=False,
            ),
        ),
        requests=(
            ApiRequest(at_s=2.0, method="GET", path="/api", status=200),
            ApiRequest(at_s=2.0, method="GET", path="/api/v1/secrets", status=403),
            ApiRequest(at_s=5.0, method="GET", path="/x", status=401, refused="no token"),
        ),
        attempts=(Attempt(at_s=1.0, via="gateway", what="POST /submit", answer="401"),),
    )
    assert attempts(record) == [
        {"at_s": 1.0, "via": "gateway", "what": "POST /submit", "answer": "401"},
        {"at_s": 2.0, "via": "guard", "what": "GET /api/v1/secrets", "answer": "403"},
        {"at_s": 3.0, "via": "kubectl", "what": "kubectl delete node n", "answer": refused},
        {"at_s": 5.0, "via": "guard", "what": "GET /x", "answer": "401 no token"},
        {
            "at_s": 9.0,
            "via": "submit",
            "what": "again",
            "answer": "both stages were submitted already; nothing was changed",
        },
    ]
