"""Commands that images bring: which there are, and where they stand.

The sets name what the simulated shell can carry out. Other commands of the real images are not
there: "not found" is an honest answer, silence is not.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.host.tools import HOST_TOOLS, SYSTEM_TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Text and files: in every set.
_BASIC = (
    *(
        "base64",
        "basename",
        "cat",
        "chgrp",
        "cksum",
        "cmp",
        "split",
        "chmod",
        "chown",
        "cp",
        "cut",
        "date",
        "dd",
        "df",
    ),
    *("dirname", "du", "echo", "egrep", "env", "expr", "false", "fgrep", "find", "fold", "grep"),
    *("head", "hostname", "id", "kill", "ln", "ls", "md5sum", "mkdir", "mktemp", "mount", "mv"),
    *(
        "gunzip",
        "gzip",
        "hexdump",
        "nl",
        "nproc",
        "od",
        "paste",
        "printf",
        "pwd",
        "readlink",
        "realpath",
        "rm",
        "rmdir",
        "sed",
    ),
    *(
        "chroot",
        "seq",
        "sh",
        "sha1sum",
        "sha256sum",
        "sha512sum",
        "sleep",
        "sort",
        "stat",
        "sync",
        "tac",
    ),
    *("tail", "tar", "tee", "test", "[", "timeout", "touch", "tr", "true", "truncate", "tty"),
    *("umount", "uname", "uniq", "wc", "which", "whoami", "xargs", "yes", "dmesg", "zcat"),
)
BUSYBOX = (
    *_BASIC,
    *("ash", "awk", "busybox", "diff", "fallocate", "free", "groups", "hexdump", "httpd"),
    *("ifconfig", "ip"),
    *(
        "less",
        "more",
        "nc",
        "netstat",
        "nsenter",
        "nslookup",
        "pidof",
        "ping",
        "ps",
        "rev",
        "route",
        "shuf",
    ),
    *("strings", "sysctl", "telnet", "time", "top", "traceroute", "uptime", "vi", "watch"),
    *("wget", "xxd"),
)
_ALPINE = (
    *BUSYBOX,
    *(
        "apk",
        "arch",
        "cksum",
        "logname",
        "mountpoint",
        "comm",
        "getent",
        "lsof",
        "nohup",
        "pgrep",
        "pkill",
        "printenv",
        "split",
    ),
)
DEBIAN = (
    *_BASIC,
    *(
        "apt",
        "apt-cache",
        "apt-get",
        "awk",
        "bash",
        "arch",
        "cksum",
        "comm",
        "dash",
        "diff",
        "fallocate",
        "getent",
        "groups",
        "join",
        "mawk",
    ),
    *(
        "logname",
        "more",
        "mountpoint",
        "nice",
        "nohup",
        "nsenter",
        "printenv",
        "rev",
        "shuf",
        "split",
        "stdbuf",
    ),
)
# What the package procps adds to an image; the model names it `procps`.
_PROCPS = ("ps", "top", "free", "uptime", "pgrep", "pkill", "pidof", "watch", "sysctl", "vmstat")
# Sets by name. Those after `debian` are packages that images of any kind may have besides.
SETS: dict[str, tuple[str, ...]] = {
    "busybox": _ALPINE,
    # The build of a distribution that leaves much out: no `nc -z`, no `wget -T`, no printenv.
    "debian-busybox": BUSYBOX,
    "debian": DEBIAN,
    "alpine": _ALPINE,
    "procps": _PROCPS,
    "iproute2": ("ip", "ss"),
    "net-tools": ("netstat", "ifconfig", "route", "arp"),
    "iputils": ("ping",),
    "netcat-openbsd": ("nc",),
    "dnsutils": ("nslookup", "dig", "host"),
    "netshoot": (
        *_ALPINE, *_PROCPS,
        *("bash", "curl", "dig", "host", "ip", "openssl", "ss"),
    ),
    # A node itself.
    "host": HOST_TOOLS,
}  # fmt: skip
_FOLDERS = {"busybox": ("/bin",), "alpine": ("/bin", "/usr/bin"), "debian": ("/usr/bin", "/bin")}
_FLAVOURS = {
    "netshoot": "alpine", "debian-busybox": "busybox", "busybox": "alpine", "alpine": "alpine",
    "debian": "debian",
}  # fmt: skip


# Packages whose commands stand before those of BusyBox, and the sets that bring them.
_PACKAGES = {
    "dnsutils": ("nslookup",),
    "iproute2": ("ip",),
    "iputils": ("ping",),
    "netcat-openbsd": ("nc",),
}
_BRINGS = {"netshoot": tuple(_PACKAGES)}


def is_busybox(tools: Iterable[str], command: str) -> bool:
    """Whether a command of an image with BusyBox is BusyBox's own, and no package's."""
    package = next((name for name, names in _PACKAGES.items() if command in names), None)
    if package is None:
        return True
    return not any(tool == package or package in _BRINGS.get(tool, ()) for tool in tools)


def flavour_of(tools: Iterable[str]) -> str:
    """The tool set whose commands an image has.

    `alpine` is BusyBox with all that it can do, `busybox` a build that leaves much out, `debian`
    the GNU commands; `none` stands for a bare image.
    """
    names = tuple(tools)
    return next((flavour for name, flavour in _FLAVOURS.items() if name in names), "none")


def in_packages(tools: Iterable[str], packages: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The tools of an image with the commands of packages in the place of their names."""
    return tuple(word for tool in tools for word in packages.get(tool, (tool,)))


def tool_names(tools: Iterable[str]) -> tuple[str, ...]:
    """The commands of the named sets, and single commands; those that stand elsewhere by their paths."""
    names: list[str] = []
    for tool in tools:
        names.extend(SETS.get(tool, (tool.rpartition("/")[2],)))
    return tuple(dict.fromkeys(names))


def tool_paths(tools: Iterable[str]) -> dict[str, str]:
    """Absolute path -> name of each command, in the order in which PATH usually finds them."""
    return _paths(tuple(tools))


@lru_cache(maxsize=256)
def _paths(tools: tuple[str, ...]) -> dict[str, str]:
    names = tool_names(tools)
    if "host" in tools:
        return {
            f"{base}/{'sbin' if name in SYSTEM_TOOLS else 'bin'}/{name}": name
            for base in ("/usr", "")
            for name in names
        }
    folders = _FOLDERS.get(flavour_of(tools), ("/usr/bin", "/bin"))
    found = {f"{folder}/{name}": name for folder in folders for name in names}
    found |= {tool: tool.rpartition("/")[2] for tool in tools if tool.startswith("/")}
    if "/bin" in folders and "env" in names:
        found["/usr/bin/env"] = "env"
    return found
