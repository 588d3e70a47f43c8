"""Refusals that are seldom met, each whole: objects that cannot be, in a table beside this file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

CASES = yaml.safe_load(Path(__file__).with_name("seldom.yaml").read_text())
CORE = "/api/v1/namespaces/shop"
LONG = ".".join(letter * 60 for letter in "abc")
KEY_RULE = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  "
    "or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)


def told(answer: Any) -> list[str]:
    causes = answer.get("details", {}).get("causes", ())
    return [f"{one['field']}: {one['message']}" for one in causes] or [answer["message"]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["refused"][0])
def test_an_object_that_cannot_be_is_refused(client: Any, case: Any) -> None:
    answer = client("POST", case["path"], yaml.safe_load(case["sent"]))
    assert (answer["kind"], told(answer)) == ("Status", case["refused"])


def test_the_search_list_of_a_pod_has_a_length(client: Any, make_pod: Any) -> None:
    searches = [f"{LONG}.{number}" for number in range(12)]
    shown = ",".join(f'"{search}"' for search in searches)
    answer = client("POST", f"{CORE}/pods", make_pod(dnsConfig={"searches": searches}))
    assert told(answer) == [
        f"spec.dnsConfig.searches: Invalid value: [{shown}]: must not have more than 2048 "
        "characters (including spaces) in the search list"
    ]


def test_a_key_has_a_length_and_is_no_folder(client: Any) -> None:
    key = "k" * 254
    sent = {"metadata": {"name": "c"}, "data": {".": "a", key: "b", "a b": "c"}}
    assert told(client("POST", f"{CORE}/configmaps", sent)) == [
        "data[.]: Invalid value: \".\": must not be '.'",
        f'data[a b]: Invalid value: "a b": {KEY_RULE}',
        f'data[{key}]: Invalid value: "{key}": must be no more than 253 characters',
    ]


def test_an_address_is_given_once(client: Any) -> None:
    spec = {"clusterIP": "10.96.0.9", "ports": [{"port": 80}]}
    made = client("POST", f"{CORE}/services", {"metadata": {"name": "one"}, "spec": spec})
    assert made["spec"]["clusterIPs"] == ["10.96.0.9"]
    again = {"metadata": {"name": "two"}, "spec": {**spec, "clusterIPs": ["10.96.0.9"]}}
    answer = client("POST", f"{CORE}/services", again)
    assert answer["message"] == (
        'Service "two" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.9"]: failed to '
        "allocate IP 10.96.0.9: provided IP is already allocated"
    )


REQUESTS = [
    ("POST", f"{CORE}/pods/p/exec", {}, 400, "you must specify at least 1 command for the container"),
    ("GET", f"{CORE}/pods?fieldSelector=x", {}, 400, "invalid selector: 'x'; can't understand 'x'"),
    (
        "GET", f"{CORE}/pods?continue=x&resourceVersion=5", {}, 400,
        "specifying resource version is not allowed when using continue",
    ),
    ("GET", f"{CORE}/pods/p:http/proxy/", {}, 400, "address not allowed"),
    (
        "PUT", f"{CORE}/pods/q", {"metadata": {"name": "p"}}, 400,
        "the name of the object (p) does not match the name on the URL (q)",
    ),
    (
        "PUT", f"{CORE}/pods/p", {"metadata": {}, "spec": {}}, 400,
        "the name of the object (p based on URL) was undeterminable: name must be provided",
    ),
    (
        "POST", "/apis/authentication.k8s.io/v1/tokenreviews", {"spec": {}}, 400,
        "token is required for TokenReview in authentication",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("method", "url", "body", "code", "message"), REQUESTS)
def test_a_request_that_cannot_be_is_refused(
    client: Any, make_pod: Any, method: str, url: str, body: Any, code: int, message: str
) -> None:
    client("POST", f"{CORE}/pods", make_pod())
    path, _, query = url.partition("?")
    parameters = dict(pair.split("=") for pair in query.split("&")) if query else {}
    answer = client(method, path, body if method != "GET" else None, **parameters)
    assert (answer["kind"], answer["code"], answer["message"]) == ("Status", code, message)
