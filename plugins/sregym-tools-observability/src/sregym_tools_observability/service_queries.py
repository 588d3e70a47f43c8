"""Queries of tools to services of observability, their time ranges, and errors that name the service."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import ClusterError, ToolError

if TYPE_CHECKING:
    from sregym_core.interfaces import ToolContext

Query = list[tuple[str, str]]


def query_service(context: ToolContext, service: str, path: str, query: Query) -> Any:
    """The JSON that a service answers.

    Raises:
        ToolError: The service is not there, or refuses; in its own words.
    """
    try:
        answer = context.observe(service, path, query)
    except ClusterError as error:
        raise ToolError(error.message) from error
    text = answer.body.decode(errors="replace")
    try:
        content = json.loads(text)
    except ValueError:
        content = None
    if answer.status >= 400:
        raise ToolError(f"{service} refuses ({answer.status}): {_reason(content, text)}")
    if content is None:
        raise ToolError(f"{service} answers with something that is not JSON: {text[:200]}")
    return content


def window(context: ToolContext, minutes: float, end: str) -> tuple[float, float]:
    """Start and end of a span of time that ends at a moment, or now.

    Raises:
        ToolError: `end` is no moment.
    """
    until = moment(context, end)
    return until - minutes * 60, until


def moment(context: ToolContext, text: str) -> float:
    """Seconds since the Unix epoch of a moment; now when the text is empty.

    Raises:
        ToolError: The text is neither RFC 3339 nor seconds since the Unix epoch.
    """
    if not text:
        return context.now()
    try:
        return float(text)
    except ValueError:
        pass
    try:
        said = datetime.fromisoformat(text)
    except ValueError as error:
        msg = f"{text!r} is no time; write it as 2026-01-31T12:00:00Z, or as seconds since the Unix epoch"
        raise ToolError(msg) from error
    return (said if said.tzinfo else said.replace(tzinfo=UTC)).timestamp()


def _reason(content: Any, text: str) -> str:
    if isinstance(content, dict):
        if isinstance(content.get("error"), str):
            return str(content["error"])
        errors = content.get("errors")
        if isinstance(errors, list) and errors and isinstance(errors[0], dict):
            return str(errors[0].get("msg", errors[0]))
        if isinstance(content.get("message"), str):
            return str(content["message"])
    return text.strip()[:500] or "without a word"
