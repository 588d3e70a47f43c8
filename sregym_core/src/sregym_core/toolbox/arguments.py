"""What the session's own tools are called with. Descriptions are read by language models."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from sregym_core.interfaces import PagedArguments, ToolArguments
from sregym_core.model import Claims


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema as language models read it: no titles, and nothing that stands elsewhere."""
    properties = {
        name: {key: value for key, value in about.items() if key != "title"}
        for name, about in schema["properties"].items()
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}


_CLAIMS = _plain(Claims.model_json_schema())


class Kubectl(PagedArguments):
    """Arguments of `kubectl`."""

    command: str = Field(
        description="The command line, e.g. 'kubectl get pods -n shop -o wide'. There is no shell: no pipes, no redirections, no variables. A manifest may follow as a here-document: kubectl apply -f - <<'EOF'."
    )
    stdin: str = Field(default="", description="Standard input of the command, for '-f -'.")


class Wait(ToolArguments):
    """Arguments of `wait`."""

    seconds: float = Field(gt=0, le=3600, description="How long.")


class Submit(ToolArguments):
    """Arguments of `submit`."""

    text: str = Field(
        description="What the instruction asks for next: a diagnosis (component, what is wrong with it, what it should be, who suffers), or a short note that the repair is done."
    )
    claims: Annotated[Claims | None, WithJsonSchema(_CLAIMS)] = Field(
        default=None,
        description="The diagnosis once more in fields, where you like; all are optional. Fields that name a component and a mechanism are compared exactly, and the text is enough without them.",
    )
