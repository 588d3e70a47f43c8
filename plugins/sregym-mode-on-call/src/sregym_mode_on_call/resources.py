"""What an engineer on call has besides the system: documents to read, and a channel to post to."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from sregym_core.interfaces import (
    EpisodeResources,
    PagedArguments,
    SessionTool,
    ToolArguments,
    ToolError,
    ToolGroup,
    clock_time,
)
from sregym_core.model.record import OutdatedDocument, UpdateRecord

from sregym_mode_on_call.truth import truth_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_core.interfaces import ToolContext


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
        served: Share of requests that succeeded then; None where it is unknown.
    """

    at_s: float
    text: str
    served: float | None


class OnCallResources(EpisodeResources):
    """The documents and the channel of one episode.

    Args:
        documents: By name.
        served: Share of the users' requests that succeed now; None where it is unknown.
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

    @property
    def tools(self) -> tuple[ReadDocument, PostUpdate]:
        """Those that read the documents and post to the channel."""
        return ReadDocument(self), PostUpdate(self)

    def account(self, at_s: Callable[[float], float], usual: float) -> dict[str, Any]:
        """Which documents are out of date, and what was posted, with whether it was so."""
        old = [d for _, d in sorted(self.documents.items()) if d.outdated]
        return {
            "outdated_documents": tuple(
                OutdatedDocument(name=d.name, what=d.outdated) for d in old
            ),
            "updates": tuple(
                UpdateRecord(at_s=at_s(post.at_s), text=post.text, truth=truth_of(post, usual))
                for post in self.posts
            ),
        }


class ReadDocument(SessionTool):
    """Reads the documents of one episode.

    Args:
        resources: Which hold them.
    """

    name: ClassVar[str] = "read_document"
    group: ClassVar[ToolGroup] = ToolGroup.CLUSTER
    description: ClassVar[str] = (
        "Read the handbook for those on call, or the runbook of a component; without a name, list them."
    )

    class Arguments(PagedArguments):
        """Arguments of `read_document`."""

        name: str = Field(
            default="", description="A document's name, e.g. handbook. Empty: all are listed."
        )

    def __init__(self, resources: OnCallResources) -> None:
        self._resources = resources

    def respond(self, context: ToolContext, given: Any) -> str:
        """A document, or the list of all."""
        documents = self._resources.documents
        if not given.name:
            listed = [f"{name}: {document.title}" for name, document in sorted(documents.items())]
            return "\n".join(listed)
        if given.name not in documents:
            known = ", ".join(sorted(documents))
            raise ToolError(f"there is no document {given.name!r}; there are: {known}")
        return documents[given.name].text


class PostUpdate(SessionTool):
    """Posts to the channel of one episode.

    Args:
        resources: Which keep what is posted.
    """

    name: ClassVar[str] = "post_update"
    group: ClassVar[ToolGroup] = ToolGroup.SUBMISSION
    description: ClassVar[str] = (
        "Post an update to the channel of the incident, for users and colleagues."
    )
    reads_only: ClassVar[bool] = False

    class Arguments(ToolArguments):
        """Arguments of `post_update`."""

        text: str = Field(
            min_length=1, max_length=4000, description="What is known, for everybody who follows."
        )

    def __init__(self, resources: OnCallResources) -> None:
        self._resources = resources

    def respond(self, context: ToolContext, given: Any) -> str:
        """Post it."""
        now = context.now()
        self._resources.post(now, given.text)
        return f"posted at {clock_time(now)}"
