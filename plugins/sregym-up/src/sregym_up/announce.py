"""What `sregym up` prints once a world is reachable, and when it is over."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sregym_core.events import SessionOpened, Submitted, Waiting, WatchReported
from sregym_core.model import Check
from sregym_kubernetes.kubectl import describe_shell_kubectl

from sregym_up.alert_page import page
from sregym_up.terminal import columns, filled, indented

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_core.cli import Console
    from sregym_core.events import EpisodeEvent

    from sregym_up.reveal import Revealed

_ENDPOINTS = {
    "alertmanager": "alerts",
    "dashboard": "all of it in a browser",
    "gateway": "HTTP API for agents; GET /openapi.json describes it",
    "jaeger": "traces",
    "kubernetes": "the Kubernetes API, for clients without a kubeconfig",
    "loki": "logs",
    "mcp": "MCP server (streamable HTTP) with all tools; mcp_* have one group each",
    "prometheus": "metrics",
}
# What is typed for each order of submissions, and what is said beside it.
_DIAGNOSIS, _REPAIRED = "sregym submit 'the root cause is ...'", "sregym submit 'repaired'"
_HAND_IN = {
    ("diagnosis", "mitigation"): (
        (_DIAGNOSIS, "first the diagnosis"),
        (_REPAIRED, "then word that the repair is done"),
    ),
    ("diagnosis",): ((_DIAGNOSIS, "once: it ends the session"),),
    ("mitigation",): ((_REPAIRED, "once: it ends the session"),),
}
_TOOLS = ("sregym tool", "lists what else there is, and uses it")


class Announcer:
    """Says how to reach the world, and what was received.

    Args:
        console: Where to.
        as_json: One line of JSON in place of everything else.
        revealed: Where the solution is served, for those who asked.
        firing: Gives the notification about the alerts that fire at this moment.
        watching: Whether it is the agent's task to find out that something is wrong.
    """

    def __init__(
        self,
        console: Console,
        as_json: bool,
        revealed: Revealed | None,
        firing: Callable[[], Mapping[str, Any] | None] = lambda: None,
        *,
        watching: bool = False,
    ) -> None:
        self._console = console
        self._firing = firing
        self._watching = watching
        self._as_json = as_json
        self._revealed = revealed

    def listen(self, episode: str, event: EpisodeEvent) -> None:
        """Look for what people wait for."""
        if isinstance(event, SessionOpened):
            self._opened(event)
        elif self._as_json:
            return
        elif isinstance(event, Waiting):
            self._console.say(event.text())
        elif isinstance(event, Submitted):
            self._console.say(f"{event.stage} received")
        elif isinstance(event, WatchReported):
            self._console.say("false alarm" if event.false_alarm else "no incident, noted")

    def _opened(self, event: SessionOpened) -> None:
        if self._as_json:
            self._console.json(self._content(event), one_line=True)
            return
        say = self._console.say
        width = columns()
        say(self._told(event, width))
        say(f"{'-' * 72}\nThe world is up. In another terminal:\n")
        say(f"  export KUBECONFIG={event.kubeconfig}")
        say("  kubectl get pods --all-namespaces")
        lines = _HAND_IN.get(event.submissions, _HAND_IN["diagnosis", "mitigation"])
        reach = max(len(line) for line, _ in lines)
        for line, note in (*lines, _TOOLS):
            say(f"  {line:<{reach}}   # {note}")
        remark, _, advice = describe_shell_kubectl().partition("; in your shell: ")
        if remark:
            say("\n" + indented(f"{remark}; before all else:", "", width) + f"\n\n  {advice}")
        say("\nEverything else listens on this machine only:\n")
        self._addresses(event, width)
        if "mcp" in event.endpoints:
            say("\nAn MCP client takes this configuration:\n")
            self._console.json(mcp_configuration(event.endpoints["mcp"], event.token))
            say("\nor, if it starts its servers itself:\n")
            self._console.json(mcp_command(event.folder))
        if self._revealed is not None:
            say(f"\nWhat is broken: {self._revealing(self._revealed, event)}")
        say("\nThe last submission or Ctrl-C ends the session.")

    def _told(self, event: SessionOpened, width: int) -> str:
        """The instruction, with the page in place of what programs get of the alerts, or below it."""
        alerts = self._alerts(event)
        if alerts is None:
            return filled(event.instruction, width)
        paged = page(alerts, width)
        raw = json.dumps(alerts, indent=1)
        before, there, after = event.instruction.partition(raw)
        if there:
            return "\n".join((filled(before, width), paged, filled(after, width)))
        return f"{filled(event.instruction, width)}\n\n{paged}\n"

    def _alerts(self, event: SessionOpened) -> Mapping[str, Any] | None:
        """Those that the agent was told of, else those that fire; who watches has to find out."""
        if event.alerts is not None or self._watching:
            return event.alerts
        return self._firing()

    def _addresses(self, event: SessionOpened, width: int) -> None:
        """All endpoints, each with what it serves: beside its address, or below where that is long."""
        listed = [(name, url, _ENDPOINTS.get(name, "")) for name, url in event.endpoints.items()]
        listed.sort()
        if event.token:
            listed.append(("token", event.token, "bearer token of gateway and MCP servers"))
        reach = max(len(name) for name, *_ in listed)
        for name, url, about in listed:
            line = f"  {name:<{reach}}  {url}"
            if about and len(line) + 3 + len(about) <= width:
                line = f"{line}   {about}"
            elif about:
                line = f"{line}\n{indented(about, ' ' * (reach + 6), width)}"
            self._console.say(line)

    def _content(self, event: SessionOpened) -> dict[str, Any]:
        content: dict[str, Any] = {
            "kubeconfig": event.kubeconfig,
            "endpoints": event.endpoints,
            "instruction": event.instruction,
            "episode": event.folder,
            "token": event.token,
            "mode": event.mode,
            "submissions": list(event.submissions),
            "alerts": self._alerts(event),
        }
        if self._revealed is not None:
            content["revealed"] = self._revealing(self._revealed, event)
        return content

    def verdict(self, summary: dict[str, Any], *, interrupted: bool) -> None:
        """Say how it ended."""
        say = self._console.say
        again = f"the same world again: --seed {summary['seed']}"
        after = "the world is recovered" if summary["recovered"] else "the world is NOT recovered"
        if interrupted:
            say(f"\nended by Ctrl-C: nothing more is graded; {after}")
            say(again)
            return
        if summary["stopped"] and summary["stopped"] not in summary["reason"]:
            say(f"\n{summary['stopped']}")
        width = columns()
        say("\n" + filled(f"{summary['outcome']}: {summary['reason']}", width))
        for stage in ("diagnosis", "mitigation"):
            for check in (summary[stage] or {}).get("checks", ()):
                say(f"  {stage:<10}  {check['outcome']:<5}  {check['name']}")
                words = Check.model_validate(check).why
                if words:
                    say(indented(words, " " * 21, width))
        times = [
            f"{label} after {summary[field]:g} s"
            for field, label in (("ttd_s", "diagnosed"), ("ttm_s", "repaired"))
            if summary[field] is not None
        ]
        times.insert(0, f"{summary['steps']} steps")
        if summary["false_alarms"]:
            times.append(f"{summary['false_alarms']} false alarms")
        say(f"\n{', '.join([*times, after])}")
        say(again)

    @staticmethod
    def _revealing(revealed: Revealed, event: SessionOpened) -> str:
        """Where to read what is broken: on the dashboard, or as JSON where there is none."""
        dashboard = event.endpoints.get("dashboard")
        return revealed.url if dashboard is None else revealed.behind(dashboard)


def mcp_configuration(url: str, token: str) -> dict[str, Any]:
    """What most MCP clients take as their configuration: one server with all tools."""
    headers = {"Authorization": f"Bearer {token}"}
    return {"mcpServers": {"operations": {"type": "http", "url": url, "headers": headers}}}


def mcp_command(folder: str) -> dict[str, Any]:
    """The same for clients that start their servers themselves."""
    server = {"command": "sregym", "args": ["mcp"], "env": {"SREGYM_EPISODE": folder}}
    return {"mcpServers": {"operations": server}}
