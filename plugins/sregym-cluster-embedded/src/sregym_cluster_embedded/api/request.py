"""What goes into the API and what comes out of it, free of any transport.

The HTTP layer turns sockets into these values and back; everything in the same process (faults,
oracles, the in-process kubectl) uses them directly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.store import Change


@dataclass(frozen=True)
class User:
    """Who asks.

    Attributes:
        name: User name, e.g. `kubernetes-admin` or `system:serviceaccount:ns:name`.
        groups: Groups, e.g. `system:masters`.
        uid: Tells apart users of one name; empty for users of certificates.
        extra: What else the authenticator knows: the pod of a token, the id of the credential.
    """

    name: str = "kubernetes-admin"
    groups: tuple[str, ...] = ("system:masters", "system:authenticated")
    uid: str = ""
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def is_true(text: str) -> bool:
    """What the text of a query parameter means: everything but `0` and `false` is true."""
    return text != "0" and text.lower() != "false"


@dataclass(frozen=True)
class Request:
    """One API request.

    Attributes:
        method: Upper-case HTTP method.
        path: Decoded path without the query.
        query: Parameters in order; a name may occur several times (`command=a&command=b`).
        headers: Lower-case names.
        body: As sent.
        user: Who asks.
        plain: Whether managed fields that would have to be derived may be left out: they are costly,
            and a reader in process who does not show them says so.
        without: Words: what has one of them for a label, a service of observability leaves out of
            its sums.
    """

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    user: User = field(default_factory=User)
    plain: bool = False
    without: frozenset[str] = frozenset()

    def parameter(self, name: str, default: str = "") -> str:
        """The first value of a query parameter."""
        return next((value for key, value in self.query if key == name), default)

    def flag(self, name: str) -> bool:
        """Whether a query parameter is there and says anything but no."""
        return is_true(self.parameter(name, "false"))

    def parameters(self, name: str) -> tuple[str, ...]:
        """All values of a query parameter, in order."""
        return tuple(value for key, value in self.query if key == name)


@dataclass(frozen=True)
class Response:
    """A complete answer.

    Attributes:
        status: HTTP status.
        body: Encoded body.
        content_type: Value of Content-Type.
        headers: Further headers (`Warning`, for instance).
        took_s: Virtual seconds after which it is there: what was asked on its behalf took them.
    """

    status: int
    body: bytes
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    took_s: float = 0.0


@dataclass(frozen=True)
class Watch:
    """An answer that goes on: the transport writes `initial`, then what `render` makes of changes.

    Attributes:
        initial: Encoded events to send first (initial events and their bookmark).
        since: Revision after which changes of `world.store.history` are to be rendered.
        render: Turns a change into encoded bytes, or None when it is not for this watcher.
        bookmark: Encodes a BOOKMARK event for a revision; None when the client wants none.
        timeout_s: After which the transport ends the stream.
        headers: Further headers.
    """

    initial: tuple[bytes, ...]
    since: int
    render: Callable[[Change], bytes | None]
    bookmark: Callable[[int], bytes] | None
    timeout_s: float
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Connect:
    """A request for a stream to a container (`exec`, `attach`, `portforward`, `log` with follow).

    Attributes:
        kind: The subresource.
        namespace: Namespace of the pod.
        pod: Name of the pod.
        container: Name of the container, resolved by the API (default container rules).
        options: The other parameters: `command` (tuple), `stdin`, `tty`, `tail_lines` ...
    """

    kind: str
    namespace: str
    pod: str
    container: str
    options: Mapping[str, Any] = field(default_factory=dict)
