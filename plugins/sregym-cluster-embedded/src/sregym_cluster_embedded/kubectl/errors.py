"""How a command of the twin ends when it does not end well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


class NotCovered(Exception):
    """The twin does not know this; the real binary must run the command.

    Raised before anything in the cluster has changed, so that the command may be run again.
    """


class CommandError(Exception):
    """The command failed: `text` goes to standard error as it is, with a newline."""

    def __init__(self, text: str, exit_code: int = 1) -> None:
        super().__init__(text)
        self.text = text
        self.exit_code = exit_code


class ServerError(CommandError):
    """The API refused a request.

    Attributes:
        status: The Status object.
        message: Its message.
        reason: Its reason.
    """

    def __init__(self, status: dict[str, Any], doing: str = "") -> None:
        self.status = status
        head = f"{doing}: " if doing else ""
        self.message: str = head + status.get("message", "")
        self.reason: str = status.get("reason", "")
        super().__init__(_server_error_text(status, head))

    @property
    def not_found(self) -> bool:
        """Whether the object, or its type, is not there."""
        return self.reason == "NotFound"

    def while_doing(self, doing: str) -> ServerError:
        """The same failure with what was being done before the server's words."""
        return ServerError(self.status, doing)


class SeveralErrors(CommandError):
    """Some of several objects failed."""

    def __init__(self, errors: Iterable[CommandError]) -> None:
        self.told = [_one_of_several(error) for error in errors]
        super().__init__("\n".join(self.told))


def _one_of_several(error: CommandError) -> str:
    """Among others, an error has no prefix, and is on one line."""
    if isinstance(error, SeveralErrors):
        return f"[{', '.join(error.told)}]"
    if isinstance(error, ServerError):
        if error.reason == "Invalid":
            return f"Error from server (Invalid): {error.message}"
        return error.text
    return error.text.removeprefix("error: ")


def _server_error_text(status: dict[str, Any], doing: str) -> str:
    message = doing + status.get("message", "")
    reason = status.get("reason", "")
    if reason == "Invalid":
        return _invalid_text(status, message)
    if reason == "Unauthorized":
        return f"error: You must be logged in to the server ({message})"
    if reason:
        return f"Error from server ({reason}): {message}"
    return f"Error from server: {message}"


def _invalid_text(status: dict[str, Any], message: str) -> str:
    details = status.get("details")
    head = "The request is invalid"
    if details is None:
        return f"{head}: {message}" if message else head
    kind, name, causes = details.get("kind", ""), details.get("name", ""), details.get("causes", ())
    if kind or name:
        head = f'The {kind} "{name}" is invalid'
    elif message and not causes:
        head += f": {message}"
    if not causes:
        return head
    texts = dict.fromkeys(f"{cause.get('field', '')}: {cause['message']}" for cause in causes)
    if len(texts) == 1:
        return f"{head}: {next(iter(texts))}"
    return f"{head}: " + "".join(f"\n* {text}" for text in texts)
