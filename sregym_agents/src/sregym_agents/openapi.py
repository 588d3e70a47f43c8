"""The HTTP API of a session as an OpenAPI document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.model import Claims

from sregym_core import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Tool

_STAGES = ["diagnosis", "mitigation", "done"]
_TEXT = {"type": "string"}
_REFUSALS = {
    "400": "The body is not what is asked for.",
    "401": "The token is missing or wrong.",
    "410": "The budget is used up, or the session is over.",
    "413": "The body is too large.",
}


def document(tools: Sequence[Tool]) -> dict[str, Any]:
    """The document, with a path for each tool."""
    stage = {"type": "string", "enum": _STAGES}
    paths: dict[str, Any] = {
        "/instruction": {
            "get": _operation("instruction", "What the agent is told.", _object(instruction=_TEXT))
        },
        "/status": {
            "get": _operation(
                "status",
                "Which submission is next, and what the session asks for.",
                _object(
                    stage=stage,
                    mode=_TEXT,
                    submissions={"type": "array", "items": stage},
                    watching={"type": "boolean"},
                ),
            )
        },
        "/alerts-payload": {
            "get": _operation(
                "alerts_payload",
                "The alerts that fired before the session began, as a payload of Alertmanager's webhook; 404 where there was none.",
                {"type": "object"},
            )
        },
        "/submit": {
            "post": _operation(
                "submit",
                "Hand in the current stage: a diagnosis, or word that the repair is done.",
                _object(accepted={"type": "boolean"}, stage=stage, message=_TEXT),
                {
                    "type": "object",
                    "properties": {"text": _TEXT, "claims": Claims.model_json_schema()},
                    "required": ["text"],
                },
            )
        },
        "/tools": {
            "get": _operation(
                "tools",
                "All tools with their schemas.",
                _object(tools={"type": "array", "items": {"type": "object"}}),
            )
        },
    }
    count = {"type": "integer", "minimum": 1}
    result = _object(text=_TEXT, ok={"type": "boolean"}, page=count, pages=count)
    for tool in tools:
        operation = _operation(f"tool_{tool.name}", tool.description, result, dict(tool.parameters))
        paths[f"/tools/{tool.name}"] = {"post": operation}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Session of an episode", "version": __version__},
        "security": [{"token": []}],
        "paths": paths,
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _operation(
    name: str, summary: str, answer: dict[str, Any], body: dict[str, Any] | None = None
) -> dict[str, Any]:
    refusals = {status: _content(why, _object(message=_TEXT)) for status, why in _REFUSALS.items()}
    operation: dict[str, Any] = {
        "operationId": name,
        "summary": summary,
        "responses": {"200": _content("Done.", answer), **refusals},
    }
    if body is not None:
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": body}},
        }
    return operation


def _content(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}
