"""Commands that images bring: which there are, and where they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

BUSYBOX = (
    *("ash", "awk", "base64", "basename", "cat", "chmod", "chown", "clear", "cp", "cut", "date"),
    *("dd", "df", "dirname", "du", "echo", "egrep", "env", "expr", "false", "fgrep", "find"),
    *("free", "grep", "head", "hostname", "httpd", "id", "kill", "ln", "ls", "md5sum", "mkdir"),
    *("mktemp", "mount", "mv", "nc", "netstat", "nslookup", "ping", "printf", "ps", "pwd", "rm"),
    *("rmdir", "sed", "seq", "sh", "sha256sum", "sleep", "sort", "stat", "tail", "tar", "tee"),
    *("test", "[", "timeout", "top", "touch", "tr", "true", "uname", "uniq", "uptime", "vi"),
    *("wc", "wget", "which", "whoami", "xargs", "yes"),
)
DEBIAN = (
    *("awk", "base64", "basename", "bash", "cat", "chmod", "chown", "cp", "cut", "date", "dd"),
    *("df", "dirname", "du", "echo", "egrep", "env", "expr", "false", "fgrep", "find", "free"),
    *("grep", "head", "hostname", "id", "kill", "ln", "ls", "md5sum", "mkdir", "mktemp", "mount"),
    *("mv", "printenv", "printf", "ps", "pwd", "rm", "rmdir", "sed", "seq", "sh", "sha256sum"),
    *("sleep", "sort", "stat", "tail", "tar", "tee", "test", "[", "timeout", "touch", "tr"),
    *("true", "uname", "uniq", "uptime", "wc", "which", "whoami", "xargs", "yes"),
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
