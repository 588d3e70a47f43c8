"""The agent `http` with a product on loopback."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from typing import Any

import pytest
from sregym_agent_http.webhook import Webhook
from sregym_agents.testing import LeapingWall
from sregym_core.errors import BudgetExceededError, UsageError
from sregym_core.interfaces import Stage
from sregym_testing import ScriptedSession

NewSession = Callable[..., ScriptedSession]


@pytest.mark.parametrize("url", ["", "incidents", "file:///etc/passwd"])
def test_an_address_is_needed(url: str) -> None:
    with pytest.raises(UsageError) as refused:
        Webhook({"url": url})
    assert str(refused.value) == (
        "agent 'http' needs the address of a webhook: "
        "--agent-option url=http://127.0.0.1:9000/incidents"
    )


def test_a_product_gets_the_incident_and_hands_in(new_session: NewSession, product: Any) -> None:
    session = new_session()
    Webhook({"url": product.url}).run(session)
    assert session.submissions == ["the cart", "repaired"]
    opening, closing = (content for _, _, content in product.received)
    incident = opening["incident"]
    assert opening["event"] == "incident.opened"
    assert incident == {
        "id": incident["id"],
        "instruction": session.instruction,
        "namespaces": list(session.namespaces),
        "mode": "standard",
        "submissions": ["diagnosis", "mitigation"],
        "alerts": None,
    }
    assert closing == {"event": "incident.closed", "incident": {"id": incident["id"]}}
    means = opening["session"]
    assert {"gateway", "kubernetes", "mcp"} <= set(means["endpoints"])
    assert f"server: {means['endpoints']['kubernetes']}" in means["kubeconfig"]
    assert "secret of the harness" not in means["kubeconfig"]


def test_messages_are_signed(new_session: NewSession, product: Any) -> None:
    Webhook({"url": product.url, "secret": "shared"}).run(new_session())
    for headers, body, _ in product.received:
        expected = hmac.new(b"shared", body, hashlib.sha256).hexdigest()
        assert headers["X-Signature-256"] == f"sha256={expected}"


def test_a_product_that_refuses(new_session: NewSession, product: Any) -> None:
    product.status, product.texts = 503, ()
    session = new_session()
    with pytest.raises(RuntimeError) as failed:
        Webhook({"url": product.url}).run(session)
    assert str(failed.value) == f"webhook {product.url} answered incident.opened with 503"
    assert session.stage is Stage.DIAGNOSIS


def test_a_product_that_is_not_there(new_session: NewSession) -> None:
    with pytest.raises(RuntimeError) as failed:
        Webhook({"url": "http://127.0.0.1:1/x"}).run(new_session())
    assert str(failed.value) == (
        "webhook http://127.0.0.1:1/x did not answer incident.opened: [Errno 111] Connection refused"
    )


def test_a_product_that_never_hands_in(
    new_session: NewSession, product: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    product.texts = ("the cart",)
    session = new_session()
    wall = LeapingWall(lambda: session.submissions == ["the cart"])
    monkeypatch.setattr("sregym_agent_http.webhook.time", wall)
    with pytest.raises(BudgetExceededError) as over:
        Webhook({"url": product.url}).run(session)
    assert str(over.value) == "the budget of 60 wall-clock seconds is used up"
    assert session.submissions == ["the cart"]
    assert product.received[-1][2]["event"] == "incident.closed"


def test_a_product_that_hands_in_and_then_hangs(new_session: NewSession, product: Any) -> None:
    product.hang.clear()
    session = new_session()
    Webhook({"url": product.url}).run(session)
    assert product.hanging, "nobody waited for its answer"
    assert session.stage is Stage.DONE
