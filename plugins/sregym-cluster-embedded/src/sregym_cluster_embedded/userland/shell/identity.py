"""Commands that say who and where: id, whoami, groups, hostname, env, uname, date, uptime."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime

from sregym_cluster_embedded.machines import KERNEL_BUILD
from sregym_cluster_embedded.userland.files.credentials import name_of
from sregym_cluster_embedded.userland.files.machine import cpus, hardware, kernel, load_averages
from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

_UNAME = {
    "all": "a", "kernel-name": "s", "nodename": "n", "kernel-release": "r", "kernel-version": "v",
    "machine": "m", "processor": "p", "hardware-platform": "i", "operating-system": "o",
}  # fmt: skip


def user_name(session: Session, uid: int) -> str:
    """The name of a user in the image; empty when it has none."""
    return name_of(uid, session.files.read("/etc/passwd") or "")


def _group_name(session: Session, gid: int) -> str:
    return name_of(gid, session.files.read("/etc/group") or "")


def _id(session: Session, words: list[str], _stdin: str) -> Output:
    flags, operands = options(words)
    rights = session.rights
    uid, gid, groups = rights.uid, rights.gid, rights.groups
    if operands:
        for line in (session.files.read("/etc/passwd") or "").splitlines():
            parts = line.split(":")
            if operands[0] and operands[0] in (parts[0], *parts[2:3]):
                uid, gid = int(parts[2]), int(parts[3])
                groups = (gid,)
                break
        else:
            head = "id: unknown user " if session.busybox else "id: "
            tail = "" if session.busybox else ": no such user"
            name = operands[0] if session.busybox else f"'{operands[0]}'"
            return Output(1, "", f"{head}{name}{tail}\n")
    if "u" in flags:
        return Output(0, f"{user_name(session, uid) or uid if 'n' in flags else uid}\n")
    if "g" in flags:
        return Output(0, f"{_group_name(session, gid) or gid if 'n' in flags else gid}\n")
    if "G" in flags:
        names = [_group_name(session, g) or str(g) if "n" in flags else str(g) for g in groups]
        return Output(0, " ".join(names) + "\n")

    def shown(number: int, name: str) -> str:
        return f"{number}({name})" if name else str(number)

    listed = ",".join(shown(group, _group_name(session, group)) for group in groups)
    user = shown(uid, user_name(session, uid))
    return Output(0, f"uid={user} gid={shown(gid, _group_name(session, gid))} groups={listed}\n")


def _whoami(session: Session, _words: list[str], _stdin: str) -> Output:
    uid = session.rights.uid
    name = user_name(session, uid)
    if name:
        return Output(0, f"{name}\n")
    if session.busybox:
        return Output(1, "", f"whoami: unknown uid {uid}\n")
    return Output(1, "", f"whoami: cannot find name for user ID {uid}\n")


def _groups(session: Session, _words: list[str], _stdin: str) -> Output:
    names = [_group_name(session, group) or str(group) for group in session.rights.groups]
    return Output(0, " ".join(names) + "\n")


def _hostname(session: Session, words: list[str], _stdin: str) -> Output:
    config = session.process.config
    flags, operands = options(words)
    if operands:
        text = "hostname: sethostname: Operation not permitted\n"
        if not session.busybox:
            text = "hostname: you must be root to change the host name\n"
        return Output(1, "", text)
    if "i" in flags or "I" in flags:
        return Output(0, f"{config.pod_ip}{' ' if 'I' in flags else ''}\n")
    if "f" in flags or "d" in flags:
        for line in (session.files.read("/etc/hosts") or "").splitlines():
            parts = line.split()
            if parts[:1] == [config.pod_ip] and len(parts) > 1:
                name = parts[1].partition(".")[2] if "d" in flags else parts[1]
                return Output(0, f"{name}\n")
    name = config.hostname
    return Output(0, f"{name.partition('.')[0] if 's' in flags else name}\n")


def _env(session: Session, words: list[str], _stdin: str) -> Output:
    known = {
        name: value for name, value in session.environment.items() if name not in session.unexported
    }
    wanted = [word for word in words[1:] if not word.startswith("-")]
    if words[0] == "printenv" and wanted:
        values = [known[name] for name in wanted if name in known]
        return Output(0 if len(values) == len(wanted) else 1, "".join(f"{v}\n" for v in values))
    if words[1:2] == ["-i"]:
        known = {}
    for flag, name in itertools.pairwise(words):
        if flag == "-u":
            known.pop(name, None)
            wanted = [word for word in wanted if word != name]
    for word in wanted:
        name, _, value = word.partition("=")
        known[name] = value
    mark = "\0" if "-0" in words else "\n"
    return Output(0, "".join(f"{name}={value}{mark}" for name, value in known.items()))


def _uname(session: Session, words: list[str], _stdin: str) -> Output:
    flags, _ = options(words, long=_UNAME)
    container = session.files.container
    parts = {
        "s": "Linux", "n": session.process.config.hostname, "r": kernel(container), "v": KERNEL_BUILD,
        "m": hardware(container), "p": "unknown", "i": "unknown",
        "o": "Linux" if session.busybox else "GNU/Linux",
    }  # fmt: skip
    # What is not known is left out of all, and told where it is asked for by itself.
    wanted = "snrvmo" if "a" in flags else "".join(flags) or "s"
    return Output(0, " ".join(text for letter, text in parts.items() if letter in wanted) + "\n")


def _uptime(session: Session, _words: list[str], _stdin: str) -> Output:
    when = datetime.fromtimestamp(session.files.now, UTC)
    seconds = int(session.world.now + 86_400)
    days, rest = divmod(seconds, 86_400)
    hours, minutes = rest // 3600, rest % 3600 // 60
    days_text = f"{days} day{'s' if days > 1 else ''}, " if days else ""
    since = f"{days_text}{hours:>2}:{minutes:02d}" if hours else f"{days_text}{minutes} min"
    load = ", ".join(load_averages(session.files.container))
    return Output(0, f" {when:%H:%M:%S} up {since},  0 users,  load average: {load}\n")


def _nproc(session: Session, _words: list[str], _stdin: str) -> Output:
    return Output(0, f"{cpus(session.files.container)}\n")


def _pwd(session: Session, _words: list[str], _stdin: str) -> Output:
    return Output(0, f"{session.working_dir}\n")


def _tty(_session: Session, _words: list[str], _stdin: str) -> Output:
    return Output(1, "not a tty\n")


IDENTITY_COMMANDS: dict[str, Command] = {
    "env": _env,
    "groups": _groups,
    "hostname": _hostname,
    "id": _id,
    "nproc": _nproc,
    "printenv": _env,
    "pwd": _pwd,
    "tty": _tty,
    "uname": _uname,
    "uptime": _uptime,
    "whoami": _whoami,
}
