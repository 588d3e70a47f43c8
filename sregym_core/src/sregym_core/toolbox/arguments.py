"""What each tool is called with. Descriptions are read by language models."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from sregym_core.model import Claims
from sregym_core.model.base import Value


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema as language models read it: no titles, and nothing that stands elsewhere."""
    properties = {
        name: {key: value for key, value in about.items() if key != "title"}
        for name, about in schema["properties"].items()
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}


_CLAIMS = _plain(Claims.model_json_schema())
_END = "Time at which the window ends, as 2026-01-31T12:00:00Z. Empty: now."


class Arguments(Value):
    """The arguments of a tool that needs none."""


class Paged(Arguments):
    """Arguments of a tool whose answers can be long."""

    page: int = Field(
        default=1,
        ge=1,
        description="Which page of the answer. Repeat a call with the same other arguments and the next page to read on; nothing is run again.",
    )


class Kubectl(Paged):
    """Arguments of `kubectl`."""

    command: str = Field(
        description="The command line, e.g. 'kubectl get pods -n shop -o wide'. There is no shell: no pipes, no redirections, no variables. A manifest may follow as a here-document: kubectl apply -f - <<'EOF'."
    )
    stdin: str = Field(default="", description="Standard input of the command, for '-f -'.")


class QueryMetrics(Paged):
    """Arguments of `query_metrics`."""

    query: str = Field(description="A PromQL expression.")
    time: str = Field(
        default="", description="Evaluation time, as 2026-01-31T12:00:00Z. Empty: now."
    )


class QueryMetricsRange(Paged):
    """Arguments of `query_metrics_range`."""

    query: str = Field(description="A PromQL expression.")
    minutes: float = Field(default=30.0, gt=0, le=10080, description="Length of the window.")
    end: str = Field(default="", description=_END)
    step_seconds: float = Field(
        default=0.0, ge=0, description="Distance of the points. 0: about thirty points."
    )


class ListMetrics(Paged):
    """Arguments of `list_metrics`."""

    contains: str = Field(
        default="", description="Only names with this text in them, whatever its case."
    )


class Alerts(Paged):
    """Arguments of `alerts`."""


class QueryLogs(Paged):
    """Arguments of `query_logs`."""

    query: str = Field(
        description='A LogQL expression, e.g. {namespace="shop", container="cart"} |= "error".'
    )
    minutes: float = Field(default=15.0, gt=0, le=10080, description="Length of the window.")
    end: str = Field(default="", description=_END)
    limit: int = Field(
        default=100, ge=1, le=5000, description="At most this many lines, the newest of the window."
    )


class LogLabels(Paged):
    """Arguments of `log_labels`."""

    label: str = Field(
        default="", description="A label's name: its values are listed. Empty: all names."
    )


class ListServices(Paged):
    """Arguments of `list_services`."""


class SearchTraces(Paged):
    """Arguments of `search_traces`."""

    service: str = Field(description="Name of a service, as list_services gives it.")
    operation: str = Field(default="", description="Only traces with this operation.")
    minutes: float = Field(default=15.0, gt=0, le=10080, description="Length of the window.")
    end: str = Field(default="", description=_END)
    min_duration_ms: float = Field(
        default=0.0, ge=0, description="Only traces with a span as long."
    )
    errors_only: bool = Field(default=False, description="Only traces with a failed span.")
    limit: int = Field(default=20, ge=1, le=1000, description="At most this many traces.")


class GetTrace(Paged):
    """Arguments of `get_trace`."""

    trace_id: str = Field(description="Id of a trace, as search_traces gives it.")


class ServiceDependencies(Paged):
    """Arguments of `service_dependencies`."""

    minutes: float = Field(default=30.0, gt=0, le=10080, description="Length of the window.")


class Wait(Arguments):
    """Arguments of `wait`."""

    seconds: float = Field(gt=0, le=3600, description="How long.")


class ReadDocument(Paged):
    """Arguments of `read_document`."""

    name: str = Field(
        default="", description="A document's name, e.g. handbook. Empty: all are listed."
    )


class PostUpdate(Arguments):
    """Arguments of `post_update`."""

    text: str = Field(
        min_length=1, max_length=4000, description="What is known, for everybody who follows."
    )


class Submit(Arguments):
    """Arguments of `submit`."""

    text: str = Field(
        description="What the instruction asks for next: a diagnosis (component, what is wrong with it, what it should be, who suffers), or a short note that the repair is done."
    )
    claims: Annotated[Claims | None, WithJsonSchema(_CLAIMS)] = Field(
        default=None,
        description="The diagnosis once more in fields, where you like; all are optional. Fields that name a component and a mechanism are compared exactly, and the text is enough without them.",
    )
