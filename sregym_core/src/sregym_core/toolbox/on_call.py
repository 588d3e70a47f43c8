"""What an engineer on call has besides the system: documents to read, and a channel to post to."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_core.interfaces import ToolError, clock_time

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_core.toolbox.arguments import PostUpdate, ReadDocument
    from sregym_core.toolbox.tool_context import SessionToolContext


@dataclass(frozen=True)
class Document:
    """Something that an agent may read.

    Attributes:
        name: By which it is read: `runbooks/cart`.
        title: One line.
        text: All of it.
        outdated: What in it no longer holds; empty where all does. Agents are not told.
    """

    name: str
    title: str
    text: str
    outdated: str = ""


@dataclass(frozen=True)
class Post:
    """An update that an agent posted.

    Attributes:
        at_s: Seconds since the Unix epoch on the episode's clock.
        text: As posted.
        served: Share of requests that succeeded then; None where nobody can tell.
    """

    at_s: float
    text: str
    served: float | None


class OnCallResources:
    """The documents and the channel of one episode.

    Args:
        documents: By name.
        served: Share of the users' requests that succeed now; None where nobody can tell.
    """

    def __init__(
        self, documents: Mapping[str, Document], served: Callable[[], float | None]
    ) -> None:
        self.documents = documents
        self.posts: tuple[Post, ...] = ()
        self._served = served

    def fork(self, served: Callable[[], float | None]) -> OnCallResources:
        """An equal one that goes on by itself."""
        twin = copy(self)
        twin._served = served
        return twin

    def post(self, at_s: float, text: str) -> None:
        """Keep an update."""
        self.posts = (*self.posts, Post(at_s, text, self._served()))


def read_document(context: SessionToolContext, given: ReadDocument) -> str:
    """A document, or the list of all."""
    documents = _office(context).documents
    if not given.name:
        listed = [f"{name}: {document.title}" for name, document in sorted(documents.items())]
        return "\n".join(listed)
    if given.name not in documents:
        known = ", ".join(sorted(documents))
        raise ToolError(f"there is no document {given.name!r}; there are: {known}")
    return documents[given.name].text


def post_update(context: SessionToolContext, given: PostUpdate) -> str:
    """Post to the channel of the incident."""
    now = context.now()
    _office(context).post(now, given.text)
    return f"posted at {clock_time(now)}"


def _office(context: SessionToolContext) -> OnCallResources:
    if context.on_call is None:
        raise ToolError("there are no documents and no channel here: --mode on-call has them")
    return context.on_call
