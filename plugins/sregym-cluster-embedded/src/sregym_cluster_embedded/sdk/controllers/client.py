"""The API as a controller's ServiceAccount uses it, and where the controller writes its log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import orjson
from sregym_apps.model import Line

from sregym_cluster_embedded.api.request import Request, Response, User
from sregym_cluster_embedded.api.server import handle
from sregym_cluster_embedded.userland.life import write_log

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

Level: TypeAlias = Literal["debug", "info", "warn", "error"]

_PATCH = "application/merge-patch+json"
_NOT_FOUND = 404


class ApiRefusedError(Exception):
    """The API refused a request.

    Attributes:
        code: The HTTP status.
        reason: The machine-readable reason: `Forbidden`, `AlreadyExists`, `Conflict` ...
    """

    def __init__(self, status: Mapping[str, Any], code: int) -> None:
        super().__init__(status.get("message", ""))
        self.code = code
        self.reason: str = status.get("reason", "")


class ApiClient:
    """The API of a simulated cluster as one ServiceAccount uses it.

    Args:
        world: The cluster.
        namespace: Of the ServiceAccount.
        account: Its name.
        manager: What `managedFields` call the writer.
        process: The process that acts, for its settings and its log; None without one.
    """

    def __init__(
        self,
        world: World,
        namespace: str,
        account: str,
        manager: str,
        process: Process | None = None,
    ) -> None:
        self.world = world
        self.process = process
        groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}")
        name = f"system:serviceaccount:{namespace}:{account}"
        self._user = User(name, (*groups, "system:authenticated"))
        self._manager = manager

    @property
    def settings(self) -> Mapping[str, str]:
        """What the acting process read when it started: `config` of its program; else empty."""
        return {} if self.process is None else self.process.settings

    def log(self, text: str, level: Level = "info", **fields: str) -> None:
        """Write a line to the log of the acting process, in the format of its program.

        Nothing without such a process, or when it is a tool and no program of a service model.
        """
        process = self.process
        if process is None or process.behaviour is None:
            return
        names = {name: f"field {name}" for name in fields}
        known = {"message": text, **{names[name]: value for name, value in fields.items()}}
        shown = {name: f"${{{place}}}" for name, place in names.items()}
        line = Line(text="${message}", level=level, fields=shown)
        write_log(self.world, process.ref, process.behaviour, (line,), known)

    def get(self, path: str) -> Object | None:
        """One object by its path (`/api/v1/namespaces/shop/services/web`); None when not found.

        Raises:
            ApiRefusedError: For any other reason than that it is not there.
        """
        try:
            return self._asked("GET", path)
        except ApiRefusedError as error:
            if error.code == _NOT_FOUND:
                return None
            raise

    def list(self, path: str, selector: str = "") -> list[Object]:
        """The objects of a collection (`/api/v1/namespaces/shop/pods`), by labels.

        Without those managed fields that a server would derive: controllers list often.
        """
        query = (("labelSelector", selector),) if selector else ()
        items: list[Object] = self._asked("GET", path, query=query, plain=True)["items"]
        return items

    def create(self, path: str, obj: Object) -> Object:
        """Create an object in a collection; the stored one."""
        return self._asked("POST", path, obj)

    def replace(self, path: str, obj: Object) -> Object:
        """Replace an object; of `/status`, its status alone."""
        return self._asked("PUT", path, obj)

    def patch(self, path: str, patch: Object) -> Object:
        """Merge a patch into an object; of `/status`, into its status alone."""
        return self._asked("PATCH", path, patch, content=_PATCH)

    def delete(self, path: str) -> None:
        """Delete an object; nothing when it is not there."""
        try:
            self._asked("DELETE", path)
        except ApiRefusedError as error:
            if error.code != _NOT_FOUND:
                raise

    def _asked(
        self,
        method: str,
        path: str,
        body: Object | None = None,
        content: str = "application/json",
        query: tuple[tuple[str, str], ...] = (),
        plain: bool = False,
    ) -> Object:
        if method != "GET":
            query = (*query, ("fieldManager", self._manager))
        headers = {"accept": "application/json"}
        if body is not None:
            headers["content-type"] = content
        sent = b"" if body is None else orjson.dumps(body)
        request = Request(method, path, query, headers, sent, user=self._user, plain=plain)
        answer = handle(self.world, request)
        assert isinstance(answer, Response)
        found: Object = orjson.loads(answer.body)
        if answer.status >= 300:
            raise ApiRefusedError(found, answer.status)
        return found
