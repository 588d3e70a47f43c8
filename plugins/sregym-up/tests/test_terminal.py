"""What `sregym up` prints fits into a terminal: instructions, the page of alerts, addresses, verdicts."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_core.events import SessionOpened
from sregym_core.model import Check, Outcome
from sregym_up.alert_page import page
from sregym_up.announce import Announcer
from sregym_up.terminal import filled

INSTRUCTION = """\
You are the engineer on call for the shop, which sells.

It has a front
and a back.

1. Find the cause and say what it is.
   Name no symptom.
2. Repair it.
{
 "kept": "as it is, however long this line may be"
}
"""
ALERT = {
    "labels": {"alertname": "Down", "severity": "critical", "namespace": "shop", "service": "web"},
    "annotations": {"summary": "A service takes no connections at all"},
    "startsAt": "2025-08-22T07:00:00Z",
}
NOTIFICATION = {"alerts": [ALERT], "truncatedAlerts": 2}
PAGE = """\
PAGE: 3 alerts are firing

  Down (critical), since 2025-08-22T07:00:00Z
    A service takes no connections
    at all
    namespace=shop, service=web

  and 2 more"""


def test_paragraphs_and_items_are_filled_anew() -> None:
    assert filled(INSTRUCTION, 34).splitlines() == [
        "You are the engineer on call for",
        "the shop, which sells.",
        "",
        "It has a front and a back.",
        "",
        "1. Find the cause and say what it",
        "   is. Name no symptom.",
        "2. Repair it.",
        "{",
        ' "kept": "as it is, however long this line may be"',
        "}",
    ]


def test_alerts_are_a_page() -> None:
    assert page(NOTIFICATION, 36) == PAGE


class Heard:
    """Implements what an announcer needs of a console."""

    def __init__(self) -> None:
        self.said: list[Any] = []

    def say(self, text: str) -> None:
        """Keep it."""
        self.said += text.split("\n")

    def json(self, content: Any, one_line: bool = False) -> None:
        """Keep it."""
        self.said.append(content)


def opened(mode: str = "standard", alerts: dict[str, Any] | None = None) -> SessionOpened:
    urls = {"jaeger": "http://127.0.0.1:1", "gateway": "http://127.0.0.1:2"}
    stages = ("diagnosis", "mitigation")
    return SessionOpened("/s/kubeconfig", urls, "Look.", "/s", "t", mode, stages, alerts)


@pytest.mark.parametrize(
    ("mode", "told", "shown"),
    [
        ("standard", None, NOTIFICATION),
        ("reactive", {"alerts": []}, {"alerts": []}),
        ("proactive", None, None),
    ],
)
def test_alerts_are_told_while_they_fire_but_not_to_who_watches(
    mode: str, told: dict[str, Any] | None, shown: dict[str, Any] | None
) -> None:
    heard = Heard()
    watching = mode == "proactive"
    announcer = Announcer(heard, True, None, lambda: NOTIFICATION, watching=watching)  # type: ignore[arg-type]
    announcer.listen("e", opened(mode, told))
    assert heard.said[0]["alerts"] == shown


def test_what_is_printed_fits_into_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("sregym_up.announce.describe_shell_kubectl", lambda: "x; in your shell: y")
    heard = Heard()
    Announcer(heard, False, None, lambda: NOTIFICATION).listen("e", opened())  # type: ignore[arg-type]
    text = "\n".join(map(str, heard.said))
    assert "\n\nx; before all else:\n\n  y\n" in text
    assert text.startswith("Look.\n\nPAGE: 3 alerts are firing\n")
    assert text[text.index("  gateway") : text.rindex("\n\n")] == (
        "  gateway  http://127.0.0.1:2\n"
        "             HTTP API for agents; GET /openapi.json\n"
        "             describes it\n"
        "  jaeger   http://127.0.0.1:1   traces\n"
        "  token    t   bearer token of gateway and MCP servers"
    )


@pytest.mark.parametrize(
    ("check", "why"),
    [
        (Check(name="a", outcome=Outcome.PASS, expected="yes", got="yes", detail="Is it?"), ""),
        (Check(name="a", outcome=Outcome.PASS, expected="ready", got="ready", detail="x"), ""),
        (
            Check(name="a", outcome=Outcome.PASS, expected="yes, or 0.70 without", got="no", detail="Is it? none"),
            "tolerated no: Is it? none",
        ),
        (
            Check(name="a", outcome=Outcome.FAIL, expected="yes", got="no", detail="Is it? none"),
            "answered no: Is it? none",
        ),
        (Check(name="a", outcome=Outcome.FAIL, expected="1", got="2"), "expected 1; got 2"),
        (Check(name="a", outcome=Outcome.FAIL, expected="1", got="2", detail="x"), "expected 1; got 2 (x)"),
    ],
)  # fmt: skip
def test_a_verdict_says_why(check: Check, why: str) -> None:
    assert check.why == why
