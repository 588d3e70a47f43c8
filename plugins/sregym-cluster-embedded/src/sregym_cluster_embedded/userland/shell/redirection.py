"""Where the input of a command comes from and where its output goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.filesystem import ReadOnlyError
from sregym_cluster_embedded.userland.shell.session import Output, Session

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.expansion import Expansion
    from sregym_cluster_embedded.userland.shell.lexing import Redirection


class Redirector:
    """Carries out redirections in a session.

    Args:
        session: Whose files are read and written.
        expansion: Expands the targets.
    """

    def __init__(self, session: Session, expansion: Expansion) -> None:
        self._session = session
        self._expansion = expansion

    def input(self, redirections: tuple[Redirection, ...], stdin: str) -> tuple[str, str]:
        """What the command reads, and the error when that cannot be opened."""
        for redirection in redirections:
            target = self._expanded(redirection)
            if redirection.operator == "<<":
                stdin = target
            elif redirection.operator == "<<<":
                stdin = target + "\n"
            elif redirection.operator == "<":
                found = self._session.files.read(self._session.path(target))
                if found is None and target != "/dev/null":
                    shell = self._session.arguments[0].rpartition("/")[2]
                    return "", f"{shell}: can't open {target}: no such file\n"
                stdin = found or ""
        return stdin, ""

    def _expanded(self, redirection: Redirection) -> str:
        return self._expansion.joined(redirection.target)

    def output(self, redirections: tuple[Redirection, ...], result: Output) -> Output:
        """What is left of the output after the redirections took their part."""
        code, out, err = result
        for redirection in redirections:
            target = self._expanded(redirection)
            if redirection.operator == ">&":
                if (redirection.descriptor, target) == (2, "1"):
                    out, err = out + err, ""
                elif (redirection.descriptor, target) == (1, "2"):
                    out, err = "", err + out
            elif redirection.operator in (">", ">>", ">|"):
                text = err if redirection.descriptor == 2 else out
                error = self._save(target, text, append=redirection.operator == ">>")
                if redirection.descriptor == 2:
                    err = ""
                else:
                    out = ""
                if error:
                    return Output(1, out, err + error)
        return Output(code, out, err)

    def _save(self, target: str, text: str, *, append: bool) -> str:
        if target in ("/dev/null", "/dev/stdout", "/dev/stderr"):
            return ""
        session, path = self._session, self._session.path(target)
        shell = session.arguments[0].rpartition("/")[2]
        parent = path.rpartition("/")[0] or "/"
        if session.files.listing(parent) is None:
            return f"{shell}: can't create {target}: nonexistent directory\n"
        try:
            before = (session.files.read(path) or "") if append else ""
            session.files.write(path, before + text)
        except ReadOnlyError:
            return f"{shell}: can't create {target}: Read-only file system\n"
        return ""
