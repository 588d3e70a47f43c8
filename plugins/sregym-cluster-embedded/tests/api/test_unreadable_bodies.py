"""Bodies that are no objects: what the API server says of them, and of what begins there."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

PATH = "/api/v1/namespaces/shop/configmaps"
HEAD = "the object provided is unrecognized (must be of type ConfigMap): "
PARSE = HEAD + "couldn't get version/kind; json parse error: "
STRUCT = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; '
    'Kind string "json:\\"kind,omitempty\\"" }'
)
JSON, YAML = "application/json", "application/yaml"


@pytest.mark.parametrize(
    ("form", "text", "message"),
    [
        (JSON, b"", f"{PARSE}unexpected end of JSON input (<empty>)"),
        (JSON, b"{a: 1}", f"{PARSE}invalid character 'a' looking for beginning of object key string ({{a: 1}})"),
        (JSON, b"x" * 31, f"{PARSE}invalid character 'x' looking for beginning of value ({'78' * 30} ...)"),
        (JSON, b"[1]", f"{PARSE}json: cannot unmarshal array into Go value of type {STRUCT} (5b315d)"),
        (JSON, b'"x"', f"{PARSE}json: cannot unmarshal string into Go value of type {STRUCT} (227822)"),
        (YAML, b"a: [", f"{HEAD}yaml: did not find expected node content (613a205b)"),
        (YAML, b"{a", f"{HEAD}yaml: did not find expected ',' or '}}' ({{a)"),
        (YAML, b"a:\n  b: c\n d: e\n", f"{HEAD}yaml: line 2: did not find expected key (613a0a2020623a20630a20643a20650a)"),
        (YAML, b"x\n- y: %", f"{HEAD}yaml: line 2: mapping values are not allowed in this context (780a2d20793a2025)"),
        (YAML, b"- a\nb: c", f"{HEAD}yaml: line 1: did not find expected '-' indicator (2d20610a623a2063)"),
        (YAML, b"a: *b", f"{HEAD}yaml: unknown anchor 'b' referenced (613a202a62)"),
        (YAML, b"\x00", f"{HEAD}yaml: control characters are not allowed (00)"),
        (YAML, b"[" * 12_000, f"{HEAD}exceeded max depth ({'5b' * 30} ...)"),
    ],
    ids=lambda value: value[:30] if isinstance(value, bytes) else "",
)  # fmt: skip
def test_what_is_no_object(client: Any, form: str, text: bytes, message: str) -> None:
    answer = client.raw("POST", PATH, text, content=form)
    assert (answer.status, orjson.loads(answer.body)) == (
        400,
        {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": message,
            "reason": "BadRequest",
            "code": 400,
        },
    )


def test_an_applied_text_that_is_no_yaml(client: Any) -> None:
    form = "application/apply-patch+yaml"
    answer = client.raw("PATCH", f"{PATH}/c", b"a: [", content=form, fieldManager="me")
    assert orjson.loads(answer.body)["message"] == (
        "error decoding YAML: yaml: did not find expected node content"
    )


def test_a_pod_is_bound_to_a_node(client: Any, make_pod: Any) -> None:
    client("POST", "/api/v1/namespaces/shop/pods", make_pod())
    answer = client("POST", "/api/v1/namespaces/shop/pods/p/binding", {"target": {"kind": "Pod"}})
    assert answer["message"] == (
        'Binding "p" is invalid: [target.kind: Unsupported value: "Pod": supported values: "Node", '
        '"<empty>", target.name: Required value]'
    )
