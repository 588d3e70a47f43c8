"""The HTTP API of a CouchDB server, as far as people ask it."""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qs, unquote

from sregym_apps.model import expand
from sregym_cluster_embedded.sdk.servers import WebAnswer

from sregym_server_couchdb.data import Database

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import WebRequest

    from sregym_server_couchdb.data import CouchData

_DATABASE = re.compile(r"[a-z][a-z0-9_$()+/-]*\Z|_(users|replicator|global_changes)\Z")
_RULES = (
    "Name: '{name}'. Only lowercase characters (a-z), digits (0-9), and any of the characters "
    "_, $, (, ), +, -, and / are allowed. Must begin with a letter."
)
# A view of more rows is not written out.
_MOST_ROWS = 1000


class Admin(NamedTuple):
    """Who administers a server; without a name everybody does."""

    name: str = ""
    password: str = ""

    def knows(self, name: str, password: str) -> bool:
        """Whether a client with these credentials is let in."""
        return not self.name or (name, password) == (self.name, self.password)


class Asked(NamedTuple):
    """A request at a server.

    Attributes:
        request: As it came.
        version: Of the server.
        uuid: Of the server.
        admin: Of the server.
        data: What it keeps.
    """

    request: WebRequest
    version: str
    uuid: str
    admin: Admin
    data: CouchData


def answer(asked: Asked) -> tuple[WebAnswer, CouchData]:
    """What is answered, and what the server keeps then."""
    place, _, query = asked.request.path.partition("?")
    parts = [unquote(part) for part in place.strip("/").split("/") if part]
    if parts in ([], ["_up"]) and asked.request.method in ("GET", "HEAD"):
        return _welcome(asked) if not parts else _said(200, {"status": "ok"}), asked.data
    refused = _refused(asked)
    if refused is not None:
        return refused, asked.data
    if parts == ["_all_dbs"]:
        return _said(200, sorted(asked.data.databases)), asked.data
    if parts == ["_active_tasks"]:
        return _said(200, []), asked.data
    if not parts:
        return _not_allowed("GET,HEAD"), asked.data
    name = parts[0]
    if len(parts) == 1:
        return _database(asked, name)
    if name not in asked.data.databases:
        return _missing(), asked.data
    return _inside(asked, name, parts[1], query), asked.data


def _refused(asked: Asked) -> WebAnswer | None:
    """How a client is refused; None when it may ask."""
    scheme, _, coded = asked.request.headers.get("authorization", "").partition(" ")
    if not coded:
        if not asked.admin.name:
            return None
        return _error(401, "unauthorized", "You are not a server admin.")
    try:
        text = base64.b64decode(coded, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        text = ""
    name, _, password = text.partition(":")
    if scheme.lower() == "basic" and asked.admin.knows(name, password):
        return None
    return _error(401, "unauthorized", "Name or password is incorrect.")


def _database(asked: Asked, name: str) -> tuple[WebAnswer, CouchData]:
    """A request about a whole database."""
    method, data = asked.request.method, asked.data
    known = data.databases.get(name)
    if method == "PUT":
        if not _DATABASE.match(name):
            return _error(400, "illegal_database_name", _RULES.format(name=name)), data
        if known is not None:
            text = "The database could not be created, the file already exists."
            return _error(412, "file_exists", text), data
        return _said(201, {"ok": True}), data.with_database(name, Database())
    if known is None:
        return _missing(), data
    if method == "DELETE":
        return _said(200, {"ok": True}), data.without(name)
    if method == "POST":
        return _error(400, "bad_request", "invalid UTF-8 JSON"), data
    if method not in ("GET", "HEAD"):
        return _not_allowed("DELETE,GET,HEAD,POST"), data
    sizes = {"file": known.file_bytes, "external": known.documents * 320, "active": known.file_bytes // 2}  # fmt: skip
    about = {
        "db_name": name, "update_seq": f"{known.documents}-g1AAAAFT", "sizes": sizes,
        "doc_del_count": 0, "doc_count": known.documents, "disk_format_version": 7,
        "compact_running": False, "cluster": {"q": 8, "n": 1, "w": 1, "r": 1},
        "instance_start_time": "0",
    }  # fmt: skip
    return _said(200, about), data


def _inside(asked: Asked, name: str, document: str, query: str) -> WebAnswer:
    """A request about what is in a database."""
    known = asked.data.databases[name]
    if asked.request.method not in ("GET", "HEAD"):
        return _error(400, "bad_request", "Document must be a JSON object")
    if document != "_all_docs":
        text = _document(known, int(document)) if document.isdecimal() else None
        if text is None or int(document) >= known.documents:
            return _error(404, "not_found", "missing")
        return _said(200, text)
    given = parse_qs(query).get("limit", [""])[0]
    most = min(int(given) if given.isdecimal() else known.documents, known.documents, _MOST_ROWS)
    rows = [
        {"id": str(n), "key": str(n), "value": {"rev": _revision(n)}}
        for n in sorted(range(known.documents), key=str)[:most]
    ]
    return _said(200, {"total_rows": known.documents, "offset": 0, "rows": rows})


def _document(known: Database, number: int) -> dict[str, Any]:
    found = json.loads(expand(known.record, {"n": str(number)})) if known.record else {}
    return {"_id": str(number), "_rev": _revision(number), **found}


def _revision(number: int) -> str:
    return f"1-{number * 2654435761 % (1 << 64):032x}"


def _welcome(asked: Asked) -> WebAnswer:
    return _said(
        200,
        {
            "couchdb": "Welcome", "version": asked.version, "git_sha": "c298091a4",
            "uuid": asked.uuid, "features": ["pluggable-storage-engines", "scheduler"],
            "vendor": {"name": "The Apache Software Foundation"},
        },
    )  # fmt: skip


def _missing() -> WebAnswer:
    return _error(404, "not_found", "Database does not exist.")


def _not_allowed(methods: str) -> WebAnswer:
    return _error(405, "method_not_allowed", f"Only {methods} allowed")


def _error(status: int, error: str, reason: str) -> WebAnswer:
    return _said(status, {"error": error, "reason": reason})


def _said(status: int, value: Any) -> WebAnswer:
    body = json.dumps(value, separators=(",", ":")) + "\n"
    return WebAnswer(status, body, "application/json")
