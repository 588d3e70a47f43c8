"""Commands that images bring: which there are, and where they stand.

The sets name what the simulated shell can carry out. Other commands of the real images are not
there: "not found" is an honest answer, silence is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

BUSYBOX = (
    *("ash", "base64", "basename", "cat", "chmod", "chown", "cp", "cut", "date", "df", "dirname"),
    *("echo", "egrep", "env", "false", "fgrep", "find", "free", "grep", "head", "hostname"),
    *("httpd", "id", "kill", "ls", "md5sum", "mkdir", "mv", "nc", "nslookup", "ping", "printf"),
    *("ps", "pwd", "rm", "rmdir", "sed", "seq", "sh", "sha256sum", "sleep", "sort", "tail", "tar"),
    *("tee", "test", "[", "touch", "tr", "true", "uname", "uniq", "wc", "wget", "which", "whoami"),
)
DEBIAN = (
    *("base64", "basename", "bash", "cat", "chmod", "chown", "cp", "cut", "date", "df", "dirname"),
    *("echo", "egrep", "env", "false", "fgrep", "find", "free", "grep", "head", "hostname", "id"),
    *("kill", "ls", "md5sum", "mkdir", "mv", "printenv", "printf", "ps", "pwd", "rm", "rmdir"),
    *("sed", "seq", "sh", "sha256sum", "sleep", "sort", "tail", "tar", "tee", "test", "[", "touch"),
    *("tr", "true", "uname", "uniq", "wc", "which", "whoami"),
)
SETS = {"busybox": BUSYBOX, "debian": DEBIAN, "alpine": (*BUSYBOX, "printenv", "nslookup")}


def tool_names(tools: Iterable[str]) -> tuple[str, ...]:
    """The commands of the named sets, and single commands."""
    names: list[str] = []
    for tool in tools:
        names.extend(SETS.get(tool, (tool,)))
    return tuple(dict.fromkeys(names))


def tool_paths(tools: Iterable[str]) -> dict[str, str]:
    """Absolute path -> name of each command; they stand in /bin, and in /usr/bin as well."""
    names = tool_names(tools)
    return {f"{folder}/{name}": name for folder in ("/bin", "/usr/bin") for name in names}
