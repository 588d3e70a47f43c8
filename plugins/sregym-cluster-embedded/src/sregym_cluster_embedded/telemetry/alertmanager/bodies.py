"""Bodies of requests to Alertmanager, refused as its generated server and its decoder refuse them."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.api.json_words import END, json_type, syntax_error
from sregym_cluster_embedded.telemetry.alertmanager.silences import Silence, matcher_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_cluster_embedded.api.request import Request

_JSON = "application/json"
_TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)?", re.ASCII
)
# The first moment of Go's clock, which clients send for none.
_NEVER_S = -62_135_596_800.0
# The layout that the decoder tries last, and names when a time cannot be read.
_LAYOUT = "2006-01-02 15:04:05"
_WORDS = (("2006", 4), ("-", 0), ("01", 2), ("-", 0), ("02", 2), (" ", 0), ("15", 2), (":", 0), ("04", 2), (":", 0), ("05", 2))  # fmt: skip
_URI = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:.*|/.*|", re.ASCII)
_TEXTS = ("comment", "createdBy", "endsAt", "id", "startsAt")
_OF_MATCHERS = {"isEqual": "bool", "isRegex": "bool", "name": "string", "value": "string"}
# As the decoder names the fields of alerts.
_FIELDS = {
    "annotations": ".annotations",
    "endsAt": ".endsAt",
    "generatorURL": "Alert.generatorURL",
    "labels": "Alert.labels",
    "startsAt": ".startsAt",
}
_REQUIRED, _NO_URI, _TOO_FEW = 602, 601, 612
_NO_SILENCE = r'struct { ID string "json:\"id,omitempty\"" }'
_NO_ALERT = (
    r'struct { Annotations models.LabelSet "json:\"annotations,omitempty\""; '
    r'EndsAt strfmt.DateTime "json:\"endsAt,omitempty\""; '
    r'StartsAt strfmt.DateTime "json:\"startsAt,omitempty\"" }'
)


class BodyError(ValueError):
    """A body that is refused.

    Args:
        status: Of the answer.
        code: In the answer.
        message: In the answer.
    """

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.data = {"code": code, "message": message}


class Posted(NamedTuple):
    """An alert as it is posted; times are Unix seconds, None when they are not said."""

    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    starts_s: float | None
    ends_s: float | None
    generator: str


def silence_of(request: Request) -> Silence:
    """The silence of a body.

    Raises:
        BodyError: It is none.
    """
    given = _decoded(request, "silence")
    if not isinstance(given, dict):
        raise _unread("silence", f"{_cannot(given)} Go value of type {_NO_SILENCE}")
    for name, value in given.items():
        if value is not None and name in _TEXTS and not isinstance(value, str):
            raise _unread(
                "silence", f"{_cannot(value)} Go struct field Silence.{name} of type string"
            )
        if name == "matchers":
            _check_matchers(value)
    _require(given, ("comment", "createdBy", "endsAt", "matchers"))
    if not given["matchers"]:
        raise BodyError(422, _TOO_FEW, "matchers in body should have at least 1 items")
    for place, matcher in enumerate(given["matchers"]):
        _require(matcher, ("isRegex", "name", "value"), f"matchers.{place}.")
    _require(given, ("startsAt",))
    return Silence(
        given.get("id") or "",
        tuple(matcher_of(matcher) for matcher in given["matchers"]),
        _seconds("silence", given["startsAt"]),
        _seconds("silence", given["endsAt"]),
        0.0,
        given["createdBy"],
        given["comment"],
    )


def alerts_of(request: Request) -> Sequence[Posted]:
    """The alerts of a body.

    Raises:
        BodyError: They are none.
    """
    given = _decoded(request, "alerts")
    if given is None:
        return ()
    if not isinstance(given, list):
        raise _unread("alerts", f"{_cannot(given)} Go value of type models.PostableAlerts")
    for one in given:
        if not isinstance(one, dict | None):
            raise _unread("alerts", f"{_cannot(one)} Go value of type {_NO_ALERT}")
        for name, value in (one or {}).items():
            if name in ("labels", "annotations"):
                _check_labels(name, value)
            elif name in _FIELDS and not isinstance(value, str | None):
                field = f"Go struct field {_FIELDS[name]} of type string"
                raise _unread("alerts", f"{_cannot(value)} {field}")
    found = []
    for place, one in enumerate(given):
        _require(one or {}, ("labels",), f"{place}.")
        url = one.get("generatorURL") or ""
        if not _URI.fullmatch(url):
            text = f'{place}.generatorURL in body must be of type uri: "{url}"'
            raise BodyError(422, _NO_URI, text)
        moments = (
            _seconds("alerts", one[name]) if one.get(name) else _NEVER_S
            for name in ("startsAt", "endsAt")
        )
        starts_s, ends_s = (None if moment == _NEVER_S else moment for moment in moments)
        found.append(Posted(one["labels"], one.get("annotations") or {}, starts_s, ends_s, url))
    return found


def _decoded(request: Request, what: str) -> Any:
    kind = request.headers.get("content-type", _JSON).partition(";")[0].strip()
    if kind != _JSON:
        message = f'unsupported media type "{kind}", only [{_JSON}] are allowed'
        raise BodyError(415, 415, message)
    text = request.body.decode(errors="replace")
    if not text.strip():
        raise BodyError(422, _REQUIRED, f"{what} in body is required")
    try:
        return json.loads(text)
    except ValueError:
        why = syntax_error(text)
        raise _unread(what, "unexpected EOF" if why == END else why) from None


def _unread(what: str, why: str) -> BodyError:
    return BodyError(400, 400, f'parsing {what} body from "" failed, because {why}')


def _cannot(value: object) -> str:
    kind = "object" if isinstance(value, dict) else json_type(value)
    return f"json: cannot unmarshal {kind} into"


def _require(given: Mapping[str, Any], names: Sequence[str], place: str = "") -> None:
    for name in names:
        if given.get(name) is None or (name == "name" and not given[name]):
            raise BodyError(422, _REQUIRED, f"{place}{name} in body is required")


def _check_matchers(given: object) -> None:
    if given is None:
        return
    if not isinstance(given, list):
        why = f"{_cannot(given)} Go struct field Silence.matchers of type models.Matchers"
        raise _unread("silence", why)
    for matcher in given:
        if not isinstance(matcher, dict):
            why = f"{_cannot(matcher)} Go struct field Silence.matchers of type models.Matcher"
            raise _unread("silence", why)
        for name, value in matcher.items():
            kind = _OF_MATCHERS.get(name)
            if (
                kind
                and value is not None
                and not isinstance(value, bool if kind == "bool" else str)
            ):
                why = f"{_cannot(value)} Go struct field Matcher.matchers.{name} of type {kind}"
                raise _unread("silence", why)


def _check_labels(name: str, given: object) -> None:
    field = f"Go struct field {_FIELDS[name]} of type"
    if given is not None and not isinstance(given, dict):
        raise _unread("alerts", f"{_cannot(given)} {field} models.LabelSet")
    for value in (given or {}).values():
        if not isinstance(value, str):
            raise _unread("alerts", f"{_cannot(value)} {field} string")


def _seconds(what: str, text: str) -> float:
    found = _TIME.fullmatch(text)
    try:
        if found is not None:
            zone = (found[4] or "Z").replace("Z", "+00:00")
            whole = datetime.fromisoformat(f"{found[1]}T{found[2]}{zone}").timestamp()
            return whole + int((found[3] or "0").ljust(9, "0")[:3]) / 1000
    except ValueError:
        pass
    raise _unread(what, _time_words(text))


def _time_words(text: str) -> str:
    """What Go says of a text that is no time of the layout."""
    rest = text
    for word, digits in _WORDS:
        if digits:
            good = bool(re.match(rf"\d{{{digits}}}", rest, re.ASCII))
        else:
            good = rest.startswith(word) or (word == " " and not rest)
        if not good:
            return f'parsing time "{text}" as "{_LAYOUT}": cannot parse "{rest}" as "{word}"'
        rest = rest[digits or 1 :]
    return (
        f'parsing time "{text}": extra text: "{rest}"'
        if rest
        else f'parsing time "{text}": out of range'
    )
