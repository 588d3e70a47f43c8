"""Admission webhooks: each review is answered by the rules of a policy file."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from sregym_apps.model import Line, expand, seconds

from sregym_cluster_embedded.api.documents import DocumentError, read_yaml
from sregym_cluster_embedded.network.certificates import read
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.kinds.kind import WebAnswer
from sregym_cluster_embedded.userland.kinds.service import ServiceKind
from sregym_cluster_embedded.userland.life import end, write_log
from sregym_cluster_embedded.userland.process import change

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_apps.model import AdmissionProgram

    from sregym_cluster_embedded.network.certificates import Certificate
    from sregym_cluster_embedded.userland.kinds.kind import WebRequest
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

# Where a process keeps the certificate that it has read when it started.
_SHOWN = "certificate in use"
_REVIEW_S = 0.004
_PLAIN = "text/plain; charset=utf-8"


class AdmissionKind(ServiceKind):
    """A service that reviews what is about to be written."""

    def begin(self, world: World, process: Process, program: AdmissionProgram) -> None:  # type: ignore[override]  # the one service of this kind
        """Read certificate and key, or end without them."""
        files = world.service(RUNTIME).files(world, process)
        facts = process.facts()
        for path in (expand(program.certificate, facts), expand(program.key, facts)):
            if not files.read(path):
                text = f"Failed to load key pair: open {path}: no such file or directory"
                write_log(world, process.ref, program, (Line(text=text, level="fatal"),))
                end(world, process.ref, 1)
                return
        settings = {
            **process.settings,
            _SHOWN: files.read(expand(program.certificate, facts)) or "",
        }
        super().begin(world, change(world, process.ref, settings=settings), program)

    def certificate(
        self, world: World, process: Process, listener: str, host: str
    ) -> Certificate | None:
        """The one that it has read."""
        return read(process.settings.get(_SHOWN, ""))

    def respond(
        self,
        world: World,
        process: Process,
        program: AdmissionProgram,  # type: ignore[override]  # the one service of this kind
        request: WebRequest,
    ) -> WebAnswer | None:
        """Answer a review; everything else as a service does."""
        if request.method != "POST":
            return super().respond(world, process, program, request)
        try:
            review = json.loads(request.body)
            asked, about = review["request"], review["request"]["resource"]["resource"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return WebAnswer(400, "could not decode the AdmissionReview\n", _PLAIN)
        policy, error = _policy(world, process, program)
        if error:
            write_log(world, process.ref, program, (Line(text=error, level="error"),))
            return WebAnswer(500, f"{error}\n", _PLAIN)
        response = _reviewed(policy, asked)
        verdict = "allowed" if response["allowed"] else "denied"
        patched = ", patched" if "patch" in response else ""
        name = asked.get("name") or (asked.get("object") or {}).get("metadata", {}).get(
            "generateName", ""
        )
        text = f"{asked.get('operation')} {about} {asked.get('namespace', '')}/{name}: {verdict}{patched}"
        write_log(world, process.ref, program, (Line(text=text, caller="review.go:112"),))
        answer = {**{k: review[k] for k in ("kind", "apiVersion")}, "response": response}
        waits_s = seconds(str(policy.get("delay") or expand(program.delay, process.facts())), 0.0)
        return WebAnswer(200, json.dumps(answer), "application/json", _REVIEW_S + waits_s)


def _policy(
    world: World, process: Process, program: AdmissionProgram
) -> tuple[dict[str, Any], str]:
    """The policy as it stands in its file now, or what is wrong with it."""
    path = expand(program.policy, process.facts())
    text = world.service(RUNTIME).files(world, process).read(path)
    if text is None:
        return {}, ""
    try:
        found = read_yaml(text)
    except DocumentError:
        return {}, f"cannot parse {path}: it is no YAML"
    if not isinstance(found or {}, dict) or not all(
        isinstance(rule, dict) for rule in (found or {}).get("rules") or ()
    ):
        return {}, f"cannot parse {path}: it has no list of rules"
    return found or {}, ""


def _reviewed(policy: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    """What the rules that match make of a request."""
    response: dict[str, Any] = {"uid": asked.get("uid", ""), "allowed": True}
    operations: list[dict[str, Any]] = []
    obj = asked.get("object")
    for rule in policy.get("rules") or ():
        if not _matches(rule, asked):
            continue
        if "deny" in rule:
            status = {"code": 403, "reason": "Forbidden", "message": str(rule["deny"])}
            return {**response, "allowed": False, "status": status}
        if "warn" in rule:
            response.setdefault("warnings", []).append(str(rule["warn"]))
        if isinstance(obj, dict):
            for path, value in (rule.get("set") or {}).items():
                operations += _operations(obj, [*path.split("/")[1:]], "", value)
    if operations:
        patch = base64.b64encode(json.dumps(operations).encode()).decode()
        response |= {"patchType": "JSONPatch", "patch": patch}
    return response


def _matches(rule: dict[str, Any], asked: dict[str, Any]) -> bool:
    about = (asked.get("object") or asked.get("oldObject") or {}).get("metadata") or {}
    resource = asked.get("resource", {}).get("resource", "")
    for field, value in (
        ("operations", asked.get("operation")),
        ("resources", resource),
        ("namespaces", asked.get("namespace", "")),
    ):
        if rule.get(field) and value not in rule[field]:
            return False
    wanted = rule.get("labels") or {}
    return bool(wanted.items() <= (about.get("labels") or {}).items())


def _operations(held: Any, words: list[str], at: str, value: Any) -> Iterator[dict[str, Any]]:
    """The operations of a JSON patch that set a value; `*` is each entry of a list."""
    word, *rest = words
    if word == "*":
        for index in range(len(held) if isinstance(held, list) else 0):
            yield from _operations(held[index], rest, f"{at}/{index}", value)
        return
    place = f"{at}/{word}"
    below = held.get(_plain(word)) if isinstance(held, dict) else None
    if rest:
        if below is None and (value is None or rest[0] == "*"):
            return
        if below is None:
            yield {"op": "add", "path": place, "value": [] if rest[0] == "-" else {}}
        yield from _operations({} if below is None else below, rest, place, value)
    elif value is not None:
        yield {"op": "add", "path": place, "value": value}
    elif below is not None:
        yield {"op": "remove", "path": place}


def _plain(word: str) -> str:
    return word.replace("~1", "/").replace("~0", "~")
