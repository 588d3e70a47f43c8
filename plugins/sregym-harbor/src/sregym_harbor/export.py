"""Task folders of Harbor, one for each problem and seed."""

from __future__ import annotations

import hashlib
import json
import secrets
import shlex
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING

from sregym_core.errors import UsageError
from sregym_rollouts import Rollouts, rollout_tasks

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from sregym_rollouts import Action, RolloutTask

_HOW = """
## How

`kubectl` works here as usual. `incident` lists further tools (metrics, logs, traces, alerts), and `incident TOOL ARGUMENT`
uses one: `incident query_metrics 'sum(rate(http_requests_total[5m]))'`. Hand in with `submit 'TEXT'`, once for the diagnosis and
once when the repair is done; what `incident` lists for `submit` can be given as JSON, too: `submit '{"text": "...", "claims": {"component": "...",
"mechanism": "..."}}'`. `incident status` tells what comes next and how much of the budget is left.
"""

_TASK = """\
schema_version = "1.4"

[task]
name = "{name}"
version = "{version}"
description = "An incident in a simulated Kubernetes system, to be diagnosed and repaired"
keywords = ["sre", "kubernetes", "incident-response"]

[[task.authors]]
name = "SREGym maintainers"

[metadata]
problem = "{problem}"
seed = {seed}
mode = "{mode}"

[agent]
timeout_sec = {agent_s}
user = "agent"

[verifier]
timeout_sec = 600.0
user = "root"
environment_mode = "shared"

[environment]
build_timeout_sec = 900.0
cpus = 1
memory_mb = 2048
storage_mb = 4096
workdir = "/app"

[environment.healthcheck]
command = "incident"
interval_sec = 2.0
timeout_sec = 30.0
start_period_sec = 120.0
"""

_MAIN = """\
FROM python:3.12-slim
COPY incident.py /usr/local/bin/incident
RUN chmod 755 /usr/local/bin/incident && ln -s incident /usr/local/bin/kubectl && ln -s incident /usr/local/bin/submit \\
 && useradd --create-home agent && mkdir /app && chown agent /app
WORKDIR /app
"""

_SIDECAR = """\
FROM python:3.12-slim
RUN pip install --no-cache-dir sregym=={version} sregym-harbor=={version} && useradd --create-home sregym
USER sregym
CMD ["python", "-m", "sregym_harbor.sidecar"]
"""

_COMPOSE = """\
services:
  main:
    depends_on: [incident]
  incident:
    build: {{context: incident}}
    environment:
      INCIDENT_HOST: 0.0.0.0
      INCIDENT_PORT: "8321"
      INCIDENT_TASK: "{task}"
      INCIDENT_MODE: "{mode}"
      INCIDENT_MAX_STEPS: "{max_steps}"
      INCIDENT_KEY: "{key}"
"""

_TEST = """\
#!/bin/bash
set -u
logs="${HARBOR_ROOT:-}/logs/verifier"
mkdir -p "$logs"
exec python3 "$(dirname "$0")/grade.py" "$logs"
"""


def export(
    folder: Path,
    problems: Iterable[str] = (),
    *,
    suite: str = "",
    seeds: Iterable[int] = (0,),
    mode: str = "standard",
    max_steps: int = 100,
    agent_s: float = 1800.0,
    organisation: str = "sregym",
) -> tuple[Path, ...]:
    """Write task folders.

    Each reference solution is played first, so nothing is written that cannot be solved. Names of
    folders tell nothing of what is broken.

    Args:
        folder: Where the folders are made.
        problems: Ids; none for those of the suite.
        suite: Name of a suite; empty for all problems.
        seeds: Of the worlds.
        mode: How episodes are put to the agent.
        max_steps: Most calls of tools.
        agent_s: Seconds that an agent has.
        organisation: In the names of the tasks, before the slash.

    Raises:
        UsageError: There is no such problem or suite; a folder is there already; or agent `expert`
            does not solve a problem.
    """
    written = []
    with Rollouts(mode=mode) as rollouts:
        for task in rollout_tasks(problems, suite=suite, seeds=seeds, workspace=rollouts.workspace):
            name = f"incident-{_digest(task.id)}"
            place = folder / name
            if place.exists():
                raise UsageError(
                    f"folder {place}: it is there already; remove it, or export elsewhere"
                )
            texts = {
                **_settings(task, f"{organisation}/{name}", mode, max_steps, agent_s),
                "instruction.md": rollouts.instruction(task).strip() + "\n" + _HOW,
                "solution/solve.sh": _solution(rollouts.reference(task)),
            }
            _write(place, texts)
            written.append(place)
    return tuple(written)


def _settings(
    task: RolloutTask, name: str, mode: str, max_steps: int, agent_s: float
) -> dict[str, str]:
    template = files("sregym_harbor") / "template"
    key = secrets.token_hex(16)
    release = version("sregym-harbor")
    told = {"name": name, "version": release, "problem": task.problem, "seed": task.seed}
    return {
        "task.toml": _TASK.format(**told, mode=mode, agent_s=float(agent_s)),
        "environment/Dockerfile": _MAIN,
        "environment/incident.py": (template / "incident.py").read_text("utf-8"),
        "environment/incident/Dockerfile": _SIDECAR.format(version=release),
        "environment/docker-compose.yaml": _COMPOSE.format(
            task=task.id, mode=mode, max_steps=max_steps, key=key
        ),
        "tests/test.sh": _TEST,
        "tests/grade.py": (template / "grade.py").read_text("utf-8"),
        "tests/key": key + "\n",
    }


def _solution(actions: Iterable[Action]) -> str:
    lines = ["#!/bin/bash", "set -eu"]
    for action in actions:
        arguments = dict(action.arguments)
        if action.tool == "kubectl" and not arguments.get("stdin"):
            lines.append(f"kubectl {arguments['command']}")
        elif action.tool == "submit":
            lines.append(f"submit {shlex.quote(str(arguments['text']))}")
        else:
            lines.append(f"incident {action.tool} {shlex.quote(json.dumps(arguments))}")
    return "\n".join(lines) + "\n"


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()


def _write(place: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if path.suffix == ".sh":
            path.chmod(0o755)
