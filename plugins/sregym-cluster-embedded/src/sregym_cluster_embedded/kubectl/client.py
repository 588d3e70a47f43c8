"""Requests as kubectl makes them, with the server's warnings and refusals."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.kubectl.discovery import Discovery, ResourceType
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered, ServerError

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Response
    from sregym_cluster_embedded.kubectl.access import Access
    from sregym_cluster_embedded.store import Object

Query: TypeAlias = Sequence[tuple[str, str]]

# Of the binary whose twin this is.
CLIENT_VERSION = "v1.37.1"

JSON = "application/json"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
STRATEGIC = "application/strategic-merge-patch+json"
MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"

_WARNING = re.compile(r'299 \S+ "((?:[^"\\]|\\.)*)"')


@lru_cache(maxsize=8)
def _read(core: bytes, groups: bytes) -> Discovery:
    """What two documents say; most sessions are told the same."""
    return Discovery(orjson.loads(core), orjson.loads(groups))


class Client:
    """One command's way to the API.

    Args:
        access: The cluster.
        warn: Takes each warning of the server.
        agent: The name under which writes are recorded as field manager, e.g. `kubectl-patch`.
        extra: Headers of every request.
        plain: Whether the command shows no managed fields.
    """

    def __init__(
        self,
        access: Access,
        warn: Any,
        agent: str,
        extra: Mapping[str, str] | None = None,
        plain: bool = True,
    ) -> None:
        self.plain = plain
        self._extra = extra or {}
        self.access = access
        self._warn = warn
        self.manager = agent

    def send(
        self,
        method: str,
        path: str,
        query: Query = (),
        body: Any = None,
        accept: str = JSON,
        content_type: str = JSON,
    ) -> Any:
        """The decoded answer to a request.

        Raises:
            ServerError: The API answered with a failure.
        """
        answer = self.answer(method, path, query, body, accept, content_type)
        if answer.content_type.startswith("text/plain"):
            return answer.body.decode(errors="surrogateescape")
        return orjson.loads(answer.body) if answer.body else None

    def answer(
        self,
        method: str,
        path: str,
        query: Query = (),
        body: Any = None,
        accept: str = JSON,
        content_type: str = JSON,
    ) -> Response:
        """The answer to a request as it came.

        Raises:
            ServerError: The API answered with a failure.
        """
        headers = {"accept": accept, "user-agent": f"kubectl/{CLIENT_VERSION} (linux/amd64)"}
        headers.update(self._extra)
        data = b""
        if body is not None:
            headers["content-type"] = content_type
            # In the order of Go's maps: refusals repeat what they were given.
            sort = orjson.OPT_SORT_KEYS
            data = body if isinstance(body, bytes) else orjson.dumps(body, option=sort)
        request = Request(method, path, tuple(query), headers, data, self.access.user, self.plain)
        answer = self.access.request(request)
        for name, value in answer.headers.items():
            if name.lower() == "warning":
                for text in _WARNING.findall(value):
                    self._warn(re.sub(r"\\(.)", r"\1", text))
        if answer.status >= 400:
            raise ServerError(_status_of(answer))
        return answer

    def get(
        self,
        kind: ResourceType,
        namespace: str | None,
        name: str,
        query: Query = (),
        accept: str = JSON,
    ) -> Object:
        """One object.

        Raises:
            ServerError: There is none; when its namespace is not there either, that is told.
        """
        try:
            found: Object = self.send("GET", kind.path(namespace, name), query, accept=accept)
        except ServerError as error:
            if error.not_found and kind.namespaced and namespace not in (None, "", "default"):
                self._need_namespace(str(namespace))
            raise
        return found

    def _need_namespace(self, name: str) -> None:
        try:
            self.send("GET", f"/api/v1/namespaces/{name}")
        except ServerError as error:
            if error.not_found:
                raise

    def list(self, kind: ResourceType, namespace: str | None, query: Query = ()) -> list[Object]:
        """All objects, following `continue`; each carries its apiVersion and kind."""
        items: list[Object] = []
        for page in self.pages(kind, namespace, query):
            items += (
                {"apiVersion": kind.api_version, "kind": kind.kind, **item}
                for item in page["items"]
            )
        return items

    def pages(
        self, kind: ResourceType, namespace: str | None, query: Query = (), accept: str = JSON
    ) -> Iterator[Any]:
        """The answers to a list, 500 objects at most in each."""
        token = ""
        while True:
            page_query = [*query, ("limit", "500")]
            if token:
                page_query.append(("continue", token))
            try:
                page = self.send("GET", kind.path(namespace), page_query, accept=accept)
            except ServerError as error:
                if error.reason not in ("BadRequest", "NotFound"):
                    raise
                if "metadata" not in error.status:
                    raise NotCovered("a type that is gone") from error
                raise error.while_doing(_listing(kind, query)) from error
            yield page
            token = page.get("metadata", {}).get("continue", "")
            if not token:
                return

    def patch(
        self,
        kind: ResourceType,
        namespace: str | None,
        name: str,
        body: Any,
        content_type: str = STRATEGIC,
        query: Query = (),
        subresource: str = "",
    ) -> Object:
        """Patch an object; returns it as it stands afterwards."""
        path = kind.path(namespace, name, subresource)
        query = (("fieldManager", self.manager), *query)
        try:
            patched: Object = self.send("PATCH", path, query, body, content_type=content_type)
        except ServerError as error:
            if error.reason != "UnsupportedMediaType":
                raise
            what = f"{kind.api_version}, Kind={kind.kind}"
            text = f"error: {content_type} is not supported by {what}: {error.message}"
            raise CommandError(text) from error
        return patched

    def create(
        self, kind: ResourceType, namespace: str | None, obj: Object, query: Query = ()
    ) -> Object:
        """Create an object."""
        query = (("fieldManager", self.manager), *query)
        created: Object = self.send("POST", kind.path(namespace), query, obj)
        return created

    def discovery(self, fresh: bool = False) -> Discovery:
        """What the server offers, remembered between commands."""
        memory = self.access.memory
        if fresh or "discovery" not in memory:
            told = [self.answer("GET", path, accept=DISCOVERY).body for path in ("/api", "/apis")]
            memory["discovery"] = _read(*told)
        found: Discovery = memory["discovery"]
        return found

    def resource_type(self, word: str) -> ResourceType:
        """The type that a word on the command line means.

        Raises:
            CommandError: There is none.
        """
        found = self.discovery().find(word) or self.discovery(fresh=True).find(word)
        if found is None:
            name, dot, group = word.partition(".")
            where = f' in group "{group}"' if dot else ""
            raise CommandError(f'error: the server doesn\'t have a resource type "{name}"{where}')
        for other in self.discovery().also_means(word):
            told = f'short name "{word}" could also match lower priority resource {other.resource}'
            self._warn(told)
        return found

    def type_of(self, obj: Object) -> ResourceType | None:
        """The type of an object by its apiVersion and kind."""
        where = (obj.get("apiVersion", ""), obj.get("kind", ""))
        return self.discovery().of_kind(*where) or self.discovery(fresh=True).of_kind(*where)


_FAILURES = {
    400: ("BadRequest", "the server rejected our request for an unknown reason"),
    404: ("NotFound", "the server could not find the requested resource"),
    405: ("MethodNotAllowed", "the server does not allow this method on the requested resource"),
}


def _status_of(answer: Response) -> dict[str, Any]:
    """The Status of a refusal; what a client makes of one that has none."""
    try:
        found = orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        found = None
    if isinstance(found, dict) and found.get("kind") == "Status":
        return found
    if answer.status not in _FAILURES:
        raise NotCovered("a failure without a Status")
    reason, message = _FAILURES[answer.status]
    return {"status": "Failure", "code": answer.status, "reason": reason, "message": message}


def _listing(kind: ResourceType, query: Query) -> str:
    """What kubectl says that it was doing when a list is refused."""
    what = f'"{kind.group}/{kind.version}, Resource={kind.plural}"'
    chosen = dict(query)
    labels, fields = chosen.get("labelSelector", ""), chosen.get("fieldSelector", "")
    if not labels and not fields:
        return f"Unable to list {what}"
    return (
        f"Unable to find {what} that match label selector {json.dumps(labels, ensure_ascii=False)}, "
        f"field selector {json.dumps(fields, ensure_ascii=False)}"
    )
