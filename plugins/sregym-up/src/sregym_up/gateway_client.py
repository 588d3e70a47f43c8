"""Requests of the command line to the gateway of the session around this process."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import TYPE_CHECKING, Any

from sregym_core.errors import UsageError

if TYPE_CHECKING:
    from sregym_agents.session_folder import SessionAddress

# Tools that let time pass may take long.
TIMEOUT_S = 600.0


def get_json(
    address: SessionAddress, path: str, what: str, body: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The JSON object that the session's gateway answers.

    Args:
        address: The session.
        path: Below the gateway's base address.
        what: What is asked of it, for errors: `submission` ...
        body: Sent with POST as JSON; without one it is a GET.

    Raises:
        UsageError: The gateway refuses, or does not answer.
    """
    url = f"{address.gateway}{path}"
    request = urllib.request.Request(  # noqa: S310 - an http address on this machine
        url,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "Authorization": f"Bearer {address.token}"},
    )
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310 - as above
            content: dict[str, Any] = json.load(answer)
            return content
    except urllib.error.HTTPError as error:
        detail = error.read().decode(errors="replace")
        msg = f"the session refused the {what} ({error.code}): {_message(detail)}"
        raise UsageError(msg) from error
    # Gone, or gone in the middle of its answer.
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)
        msg = f"the session at {url} does not answer: {reason}; is `sregym up` still running?"
        raise UsageError(msg) from error


def _message(text: str) -> str:
    try:
        content = json.loads(text)
    except ValueError:
        return text.strip()
    return str(content.get("message", text)) if isinstance(content, dict) else text
