"""The agent `http`: tells a product of the incident and waits for what it hands in."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import secrets
import threading
import time
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from sregym_agents.outside import opened
from sregym_core.errors import BudgetExceededError, UsageError
from sregym_core.interfaces import Agent, Stage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_agents.gateway import Gateway
    from sregym_core.interfaces import Session

LOOK_S = 0.1
# How long a product may take to hear that an incident is closed: nothing depends on it.
CLOSING_S = 2.0
# A product that answers when it is done gets as long as the episode, and this where that is endless.
ANSWER_S = 3600.0


class Webhook(Agent):
    """Posts the incident to `--agent-option url=...`, signed when `secret=...` is given.

    The product acts through the session's endpoints, which are in the message, and hands in at
    the gateway. The episode is over when all is handed in or the budget is used up.
    """

    name: ClassVar[str] = "http"
    served: ClassVar[bool] = True
    accepts: ClassVar[tuple[str, ...] | None] = ("url", "secret")

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        super().__init__(options)
        self._url = self.options.get("url", "")
        self._secret = self.options.get("secret", "")
        if not self._url.startswith(("http://", "https://")):
            msg = "agent 'http' needs the address of a webhook: --agent-option url=http://127.0.0.1:9000/incidents"
            raise UsageError(msg)

    def run(self, session: Session) -> None:
        """Open the incident, take what is handed in, close the incident."""
        with opened(session) as gateway:
            incident = {
                "id": secrets.token_hex(8),
                "instruction": session.instruction,
                "namespaces": list(session.namespaces),
                "mode": session.task.mode,
                "submissions": [str(stage) for stage in session.task.submissions],
                "alerts": session.alerts,
            }
            access = session.access()
            means = {
                "token": gateway.token,
                "kubeconfig": access.kubeconfig.read_text(encoding="utf-8"),
                "endpoints": {**access.endpoints, **gateway.endpoints},
            }
            opening = {"event": "incident.opened", "incident": incident, "session": means}
            limit_s = session.budget.wall_s
            telling = self._tell(opening, limit_s or ANSWER_S)
            try:
                self._follow(session, gateway, telling, limit_s)
            finally:
                closing = {"event": "incident.closed", "incident": {"id": incident["id"]}}
                self._farewell(closing)

    def _tell(self, content: Mapping[str, Any], timeout_s: float) -> Future[None]:
        """Post in a thread that is not joined: a product may respond late, or never."""
        told: Future[None] = Future()

        def post() -> None:
            try:
                self._post(content, timeout_s)
            except Exception as error:
                told.set_exception(error)
            else:
                told.set_result(None)

        threading.Thread(target=post, name="webhook", daemon=True).start()
        return told

    def _follow(
        self, session: Session, gateway: Gateway, telling: Future[None], limit_s: float | None
    ) -> None:
        began = time.monotonic()
        while session.stage is not Stage.DONE:
            gateway.take(LOOK_S)
            if telling.done():
                telling.result()
            if limit_s is not None and time.monotonic() - began > limit_s:
                msg = f"the budget of {limit_s:g} wall-clock seconds is used up"
                raise BudgetExceededError(msg)

    def _farewell(self, content: Mapping[str, Any]) -> None:
        try:
            self._post(content, CLOSING_S)
        except RuntimeError:
            return  # the episode is over either way

    def _post(self, content: Mapping[str, Any], timeout_s: float) -> None:
        body = json.dumps(content).encode()
        headers = {"Content-Type": "application/json"}
        if self._secret:
            mark = hmac.new(self._secret.encode(), body, hashlib.sha256).hexdigest()
            headers["X-Signature-256"] = f"sha256={mark}"
        event = content["event"]
        address = urlsplit(self._url)
        secure = address.scheme == "https"
        make = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        path = f"{address.path or '/'}{'?' if address.query else ''}{address.query}"
        connection = make(address.netloc, timeout=timeout_s)
        try:
            connection.request("POST", path, body, headers)
            answer = connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException) as error:
            msg = f"webhook {self._url} did not answer {event}: {error}"
            raise RuntimeError(msg) from error
        finally:
            connection.close()
        if not 200 <= answer.status < 300:
            msg = f"webhook {self._url} answered {event} with {answer.status}"
            raise RuntimeError(msg)
