"""Commands about files, processes and the machine."""

from __future__ import annotations

import posixpath
from datetime import UTC, datetime

from sregym_cluster_embedded.userland.filesystem import ReadOnlyError
from sregym_cluster_embedded.userland.process import running_in
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.shell.text import options
from sregym_cluster_embedded.userland.toolsets import tool_paths


def _env(session: Session, words: list[str], _stdin: str) -> Output:
    wanted = words[1:]
    if wanted:
        values = [session.environment[name] for name in wanted if name in session.environment]
        return Output(0 if len(values) == len(wanted) else 1, "".join(f"{v}\n" for v in values))
    return Output(0, "".join(f"{name}={value}\n" for name, value in session.environment.items()))


def _hostname(session: Session, words: list[str], _stdin: str) -> Output:
    config = session.process.config
    if "-i" in words:
        return Output(0, f"{config.pod_ip}\n")
    if "-f" in words:
        for line in (session.files.read("/etc/hosts") or "").splitlines():
            parts = line.split()
            if parts[:1] == [config.pod_ip] and len(parts) > 1:
                return Output(0, f"{parts[1]}\n")
    return Output(0, f"{config.hostname}\n")


def _user(session: Session) -> tuple[int, int]:
    context = session.process.config.spec.get("securityContext", {})
    return context.get("runAsUser", 0), context.get("runAsGroup", 0)


def _id(session: Session, words: list[str], _stdin: str) -> Output:
    user, group = _user(session)
    if "-u" in words:
        return Output(0, f"{user}\n")
    shown = "0(root)" if user == 0 else str(user)
    gid = "0(root)" if group == 0 else str(group)
    return Output(0, f"uid={shown} gid={gid} groups={gid}\n")


def _whoami(session: Session, _words: list[str], _stdin: str) -> Output:
    user, _ = _user(session)
    if user == 0:
        return Output(0, "root\n")
    return Output(1, "", f"whoami: unknown uid {user}\n")


def _date(session: Session, words: list[str], _stdin: str) -> Output:
    when = datetime.fromtimestamp(session.world.epoch + session.world.now, UTC)
    form = next((word[1:] for word in words[1:] if word.startswith("+")), "")
    if form:
        text = when.strftime(form.replace("%s", str(int(when.timestamp()))))
        return Output(0, f"{text}\n")
    return Output(0, when.strftime("%a %b %e %H:%M:%S UTC %Y\n"))


def _ps(session: Session, words: list[str], _stdin: str) -> Output:
    rows = [(1, " ".join(session.process.argv)), (44, " ".join(words))]
    if session.busybox:
        user = "root" if _user(session)[0] == 0 else str(_user(session)[0])
        body = "".join(f"{pid:>5} {user:<8} {command}\n" for pid, command in rows)
        return Output(0, f"PID   USER     COMMAND\n{body}")
    if any("f" in word or "u" in word for word in words[1:]):
        head = "UID        PID  PPID  C STIME TTY          TIME CMD\n"
        body = "".join(
            f"root {pid:>9} {0:>5}  0 00:00 ?        00:00:00 {command}\n" for pid, command in rows
        )
        return Output(0, head + body)
    head = "    PID TTY          TIME CMD\n"
    body = "".join(
        f"{pid:>7} ?        00:00:00 {posixpath.basename(command.split()[0])}\n"
        for pid, command in rows
    )
    return Output(0, head + body)


def _ls(session: Session, words: list[str], _stdin: str) -> Output:
    flags, operands = options(words)
    out, err = "", ""
    for operand in operands or ["."]:
        path = session.path(operand)
        names = session.files.listing(path)
        if session.files.read(path) is not None or "d" in flags:
            names, shown = None, [(operand, path)]
        elif names is None:
            word = "ls: " if session.busybox else "ls: cannot access '"
            tail = "" if session.busybox else "'"
            err += f"{word}{operand}{tail}: No such file or directory\n"
            continue
        else:
            shown = [(name, posixpath.join(path, name)) for name in names]
            if "a" not in flags:
                shown = [entry for entry in shown if not entry[0].startswith(".")]
        if len(operands) > 1 and names is not None:
            out += f"{operand}:\n"
        if "l" in flags:
            out += f"total {4 * len(shown)}\n" if names is not None else ""
            out += "".join(_long(session, name, place) for name, place in shown)
        else:
            out += "".join(f"{name}\n" for name, _ in shown)
    return Output((1 if session.busybox else 2) if err else 0, out, err)


def _long(session: Session, name: str, path: str) -> str:
    content = session.files.read(path)
    when = datetime.fromtimestamp(session.world.epoch + session.process.started_at, UTC)
    kind, links, size = ("drwxr-xr-x", 2, 4096) if content is None else ("-rw-r--r--", 1, 0)
    if content is not None:
        size = len(content.encode())
        if path in tool_paths(session.image.tools) or path in session.image.binaries:
            kind = "-rwxr-xr-x"
    date = when.strftime("%b %e %H:%M")
    return f"{kind} {links:>4} root     root     {size:>9} {date} {name}\n"


def _test(session: Session, words: list[str], _stdin: str) -> Output:
    parts = words[1:]
    if words[0] == "[":
        if parts[-1:] != ["]"]:
            return Output(2, "", "sh: missing ]\n")
        parts = parts[:-1]
    return Output(0 if _holds(session, parts) else 1)


def _holds(session: Session, parts: list[str]) -> bool:
    for word, combine in (("-o", any), ("-a", all)):
        if word in parts[1:-1]:
            at = parts.index(word)
            return combine((_holds(session, parts[:at]), _holds(session, parts[at + 1 :])))
    if parts[:1] == ["!"]:
        return not _holds(session, parts[1:])
    if len(parts) == 1:
        return parts[0] != ""
    if len(parts) == 2:
        path = session.path(parts[1])
        content = session.files.read(path)
        answers = {
            "-n": parts[1] != "",
            "-z": parts[1] == "",
            "-f": content is not None,
            "-s": bool(content),
            "-d": session.files.is_folder(path),
            "-r": content is not None,
        }
        return answers.get(parts[0], content is not None or session.files.is_folder(path))
    if len(parts) == 3:
        return _compared(*parts)
    return False


def _compared(left: str, operator: str, right: str) -> bool:
    if operator in ("=", "=="):
        return left == right
    if operator == "!=":
        return left != right
    try:
        a, b = int(left), int(right)
    except ValueError:
        return False
    answers = {
        "-eq": a == b, "-ne": a != b, "-lt": a < b, "-le": a <= b, "-gt": a > b, "-ge": a >= b,
    }  # fmt: skip
    return answers.get(operator, False)


def _which(session: Session, words: list[str], _stdin: str) -> Output:
    paths = {**tool_paths(session.image.tools), **session.image.binaries}
    out, missing = "", False
    for word in words[1:]:
        folders = session.environment.get("PATH", "").split(":")
        found = next((f"{f}/{word}" for f in folders if f"{f}/{word}" in paths), None)
        missing = missing or found is None
        out += f"{found}\n" if found else ""
    return Output(1 if missing else 0, out)


def _change_file(session: Session, words: list[str], _stdin: str) -> Output:
    flags, operands = options(words, "m")
    for operand in operands:
        path = session.path(operand)
        content = session.files.read(path)
        try:
            if words[0] == "touch":
                session.files.write(path, content or "")
            elif words[0] == "mkdir":
                session.files.write(f"{path}/.", "")
            elif content is None and "f" not in flags and not session.files.is_folder(path):
                return Output(1, "", f"rm: can't remove '{operand}': No such file or directory\n")
            else:
                session.files.write(path, None)
        except ReadOnlyError:
            return Output(1, "", f"{words[0]}: {operand}: Read-only file system\n")
    return Output()


def _kill(session: Session, words: list[str], _stdin: str) -> Output:
    """Signals to PID 1: KILL from inside the container is ignored, TERM asks the program."""
    if words[-1] != "1":
        return Output(1, "", f"sh: can't kill pid {words[-1]}: No such process\n")
    hard = any(word in ("-9", "-KILL", "-SIGKILL") for word in words)
    seconds = None if hard else session.runtime.terminate(session.world, session.process.ref)
    if seconds is not None:
        program = session.runtime.program_of(session.process)
        code = program.sigterm.code if program is not None else 143
        session.world.after(seconds, "userland.exit", session.process.ref, code)
    return Output()


def _uname(session: Session, words: list[str], _stdin: str) -> Output:
    if "-a" in words:
        host = session.process.config.hostname
        return Output(0, f"Linux {host} 6.1.0 #1 SMP x86_64 GNU/Linux\n")
    return Output(0, "6.1.0\n" if "-r" in words else "Linux\n")


def _pwd(session: Session, _words: list[str], _stdin: str) -> Output:
    return Output(0, f"{session.working_dir}\n")


def _free(session: Session, _words: list[str], _stdin: str) -> Output:
    used = sum(
        session.runtime.memory_bytes(session.world, process.ref) // 1024
        for process in running_in(session.world, session.process.ref.pod_uid)
    )
    head = "              total        used        free      shared  buff/cache   available\n"
    total = 8 * 1024 * 1024
    row = f"Mem:    {total:>11} {used:>11} {total - used:>11} {0:>11} {0:>11} {total - used:>11}\n"
    return Output(0, head + row)


def _df(_session: Session, _words: list[str], _stdin: str) -> Output:
    head = "Filesystem           1K-blocks      Used Available Use% Mounted on\n"
    return Output(0, head + "overlay              103079200  19327352  83735464  19% /\n")


def _true(_session: Session, _words: list[str], _stdin: str) -> Output:
    return Output()


def _false(_session: Session, _words: list[str], _stdin: str) -> Output:
    return Output(1)


def _basename(_session: Session, words: list[str], _stdin: str) -> Output:
    call = posixpath.basename if words[0] == "basename" else posixpath.dirname
    return Output(0, call(words[1]) + "\n")


SYSTEM_COMMANDS: dict[str, Command] = {
    "basename": _basename,
    "chmod": _true,
    "chown": _true,
    "date": _date,
    "df": _df,
    "dirname": _basename,
    "env": _env,
    "false": _false,
    "free": _free,
    "hostname": _hostname,
    "id": _id,
    "kill": _kill,
    "ls": _ls,
    "mkdir": _change_file,
    "printenv": _env,
    "ps": _ps,
    "pwd": _pwd,
    "rm": _change_file,
    "rmdir": _change_file,
    "test": _test,
    "[": _test,
    "touch": _change_file,
    "true": _true,
    "uname": _uname,
    "which": _which,
    "whoami": _whoami,
}
