"""Evaluations with a scripted model: samples, tools, the sandbox's shell, scores, logs."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.util import SandboxEnvironment, sandboxenv
from sregym_core.errors import UsageError
from sregym_inspect import IncidentConfig, IncidentSandbox, responder, sregym, verdict

PROBLEM = "wrong_service_selector_hotel_reservation"
TASK = f"{PROBLEM}@0"
# Inspect leaves streams to the garbage collector, and uses old names of what it requires.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def played(task: Task, *said: str | tuple[str, dict[str, Any]], logs: Path) -> EvalLog:
    """The log of a task, as Inspect's reader reads it, with a model that says these things."""
    outputs = [
        ModelOutput.from_content("mockllm/model", one)
        if isinstance(one, str)
        else ModelOutput.for_tool_call("mockllm/model", *one)
        for one in said
    ]
    for output in outputs:
        output.usage = ModelUsage()  # else the model counts with a table that it fetches
    model = get_model("mockllm/model", custom_outputs=outputs)
    evaluate(task, model=model, display="none", log_dir=str(logs))
    [info] = list_eval_logs(str(logs))
    return read_eval_log(info)


def test_a_model_that_gives_up_fails_and_the_log_tells_why(tmp_path: Path) -> None:
    log = played(
        sregym(problems=PROBLEM, max_steps=10),
        "Let me think.",
        ("kubectl", {"command": "get nothing"}),
        ("submit", {"text": "unknown", "claims": {"component": "geo"}}),
        ("submit", {"text": "nothing"}),
        logs=tmp_path,
    )
    assert log.status == "success"
    [sample] = log.samples or []
    assert sample.error is None, sample.error.message
    assert sample.id == TASK
    score = (sample.scores or {})["verdict"]
    assert score.value == {
        "reward": 0.0,
        "diagnosis": 0.0,
        "mitigation": 0.0,
        "steps": 3.0,
        "seconds": 2.0,
    }
    assert score.metadata == {"outcome": "fail", "submissions": 2}
    assert (score.explanation or "").startswith("diagnosis: score ")
    texts = [message.text for message in sample.messages]
    assert texts[0].startswith("You are the engineer on call for Hotel Reservation.")
    assert texts[2].startswith("Go on with a call of a tool;")
    assert [
        message.error.message
        for message in sample.messages
        if message.role == "tool" and message.error
    ] == ['error: the server doesn\'t have a resource type "nothing"\n(exit code 1)']
    assert "mitigation received; the episode ends" in texts[-1]


@sandboxenv(name="out-of-order")
class OutOfOrder(IncidentSandbox):
    @classmethod
    async def sample_init(
        cls, task_name: str, config: Any, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        return {"default": cls(None, "the application did not come up")}


def test_a_world_that_was_not_right_is_not_scored(tmp_path: Path) -> None:
    task = Task(solver=responder(), scorer=verdict(), sandbox="out-of-order")
    [sample] = played(task, logs=tmp_path).samples or []
    score = (sample.scores or {})["verdict"]
    assert isinstance(score.value, float)
    assert math.isnan(score.value)
    assert score.reason == "the application did not come up"


def test_the_sandbox_is_a_shell_with_kubectl_alone() -> None:
    async def story() -> list[tuple[int, str, str]]:
        places = await IncidentSandbox.sample_init("t", IncidentConfig(task=TASK), {})
        box = places["default"]
        manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: note\n  namespace: load\n"
        await box.write_file("/tmp/note.yaml", manifest)
        assert await box.read_file("/tmp/note.yaml") == manifest
        lines = [
            ["kubectl", "apply", "-f", "/tmp/note.yaml"],
            ["bash", "--login", "-c", "kubectl get configmap note -n load -o name"],
            ["bash", "-c", "kubectl delete --filename=/tmp/note.yaml"],
            ["kubectl", "get", "nothing"],
            ["cat", "/etc/passwd"],
            ["bash", "-c", "echo 'open"],
            ["bash", "-c", ""],
        ]
        done = [await box.exec(line) for line in lines]
        await IncidentSandbox.sample_cleanup("t", None, places, False)
        return [(one.returncode, one.stdout.strip(), one.stderr.strip()) for one in done]

    assert asyncio.run(story()) == [
        (0, "configmap/note created", ""),
        (0, "configmap/note", ""),
        (0, 'configmap "note" deleted from load namespace', ""),
        (1, "", 'error: the server doesn\'t have a resource type "nothing"\n(exit code 1)'),
        (127, "", "sh: cat: command not found"),
        (2, "", "sh: syntax error: No closing quotation"),
        (0, "", ""),
    ]


def test_what_cannot_be_played_is_told() -> None:
    with pytest.raises(TypeError) as no_config:
        asyncio.run(IncidentSandbox.sample_init("t", None, {}))
    assert str(no_config.value) == (
        "sandbox 'sregym': an IncidentConfig is needed, "
        "e.g. ('sregym', IncidentConfig(task='PROBLEM@SEED'))"
    )
    with pytest.raises(UsageError):
        sregym(problems="no_such_problem")
    gone = IncidentSandbox(None, "broken")
    done = asyncio.run(gone.exec(["kubectl", "get", "pods"]))
    assert (done.returncode, done.stderr) == (1, "error: the server is gone")
    with pytest.raises(FileNotFoundError, match=r"^nowhere$"):
        asyncio.run(gone.read_file("nowhere"))
