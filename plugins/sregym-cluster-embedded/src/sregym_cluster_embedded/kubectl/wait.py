"""`kubectl wait`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from sregym_cluster_embedded.kubectl.editing import Found, selected
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered, ServerError
from sregym_cluster_embedded.kubectl.flags import FILES, SELECTION, Flag, switch
from sregym_cluster_embedded.kubectl.jsonpath import find, relaxed, result_text
from sregym_cluster_embedded.kubectl.printing import qualified_name
from sregym_cluster_embedded.kubectl.session import Session, collected, raise_all
from sregym_cluster_embedded.kubectl.waiting import pause, states, timed_out, wait_until_deleted
from sregym_cluster_embedded.store import Object

FLAGS = (*FILES, *SELECTION, Flag("for"), Flag("timeout"), switch("all-namespaces", "A"))

_WEEK_S = 7 * 24 * 3600.0

_Test: TypeAlias = Callable[[Object], bool]


def wait(session: Session) -> None:
    """Run `kubectl wait`."""
    arguments = session.arguments
    aim = arguments.text("for")
    timeout_s = arguments.duration("timeout", 30.0)
    if timeout_s < 0:
        timeout_s = _WEEK_S
    if arguments.has("all-namespaces"):
        raise NotCovered("wait everywhere")
    test = None if aim.lower() in ("delete", "create") else _test(aim)
    if aim.lower() == "create":
        _wait_for_creation(session, timeout_s)
        return
    errors: list[CommandError] = []
    found = selected(session, arguments.words, errors)
    if aim.lower() == "delete":
        errors = [e for e in errors if not (isinstance(e, ServerError) and e.not_found)]
        raise_all(errors)
        for one in found:
            _wait_for_deletion(session, one, timeout_s)
        return
    assert test is not None
    raise_all(errors)
    if not found:
        raise CommandError("error: no matching resources found")
    late: list[CommandError] = []
    for one in found:
        if late:
            late.append(_late(one))
            continue
        with collected(late):
            _wait_for(session, one, test, timeout_s)
    raise_all(late)


def _late(found: Found) -> CommandError:
    name = f"{found.kind.plural}/{found.name}"
    return CommandError(f"error: timed out waiting for the condition on {name}")


def _wait_for_creation(session: Session, timeout_s: float) -> None:
    """Wait until what is named is there; it is looked up again each second."""
    passed = 0.0
    while True:
        errors: list[CommandError] = []
        found = selected(session, session.arguments.words, errors)
        others = [e for e in errors if not (isinstance(e, ServerError) and e.not_found)]
        raise_all(others)
        if found and not errors:
            break
        if passed >= timeout_s:
            raise timed_out()
        pause(session, min(1.0, timeout_s - passed))
        passed += 1.0
    for one in found:
        session.say(f"{qualified_name(one.kind, one.name)} condition met")


def _test(aim: str) -> _Test:
    name, _, rest = aim.partition("=")
    if name == "condition" and rest:
        condition, _, value = rest.partition("=")
        return lambda obj: _has_condition(obj, condition, value or "true")
    if name == "jsonpath" and rest:
        return _jsonpath_test(rest)
    if aim and not re.match(r"(condition|jsonpath)\b", aim):
        raise CommandError(f'error: unrecognized condition: "{aim}"')
    if not aim:
        raise CommandError("error: unrecognized condition: []")
    if aim == "jsonpath=":
        raise CommandError("error: jsonpath expression cannot be empty")
    if "=" not in aim:
        raise CommandError(f'error: unrecognized condition: "{aim}"')
    raise NotCovered(f"--for={aim}")


def _has_condition(obj: Object, name: str, value: str) -> bool:
    generation = obj["metadata"].get("generation", 0)
    observed = obj.get("status", {}).get("observedGeneration")
    for condition in obj.get("status", {}).get("conditions", ()):
        if condition.get("type", "").lower() != name.lower():
            continue
        seen = condition.get("observedGeneration", observed)
        if seen is not None and seen < generation:
            return False
        return bool(condition.get("status", "").lower() == value.lower())
    return False


def _jsonpath_test(rest: str) -> _Test:
    expression, closing, value = rest.strip("'\"").partition("}=")
    exists_only = not closing
    if closing and not value.strip("'\""):
        text = "jsonpath wait has to have a value after equal sign"
        raise CommandError(f"error: {text}, like --for=jsonpath='{{.status.readyReplicas}}'=3")
    if exists_only and "=" in expression:
        raise NotCovered(f"--for=jsonpath={rest}")
    path = relaxed(expression if exists_only else expression + "}")

    def test(obj: Object) -> bool:
        values = find(path, obj)
        if exists_only:
            return bool(values)
        if len(values) > 1:
            raise NotCovered("several values to compare")
        return bool(values) and result_text(values[0]) == value.strip("'\"")

    return test


def _unmet(found: Found) -> CommandError:
    return CommandError(f"error: condition not met for {found.kind.plural}/{found.name}")


def _wait_for(session: Session, found: Found, test: _Test, timeout_s: float) -> None:
    name = qualified_name(found.kind, found.name)
    if test(found.obj):
        session.say(f"{name} condition met")
        return
    if not timeout_s:
        raise _unmet(found)
    for event, obj in states(session, found.kind, found.namespace, found.name, timeout_s):
        if event == "DELETED":
            raise NotCovered("the object was deleted meanwhile")
        if test(obj):
            session.say(f"{name} condition met")
            return
    raise _late(found)


def _wait_for_deletion(session: Session, found: Found, timeout_s: float) -> None:
    uid = found.obj["metadata"]["uid"]
    kind, namespace, name, _ = found
    if not timeout_s:
        raise _unmet(found)
    if not wait_until_deleted(session, kind, namespace, name, uid, timeout_s):
        text = f"error: timed out waiting for the condition on {kind.plural}/{name}"
        raise CommandError(text)
    session.say(f"{qualified_name(kind, name)} condition met")
