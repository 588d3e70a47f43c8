"""chroot and nsenter: commands that run in other places than the container that they are called in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubelet.runtime import folder_of_host
from sregym_cluster_embedded.userland.files.inode import FOLDER
from sregym_cluster_embedded.userland.files.tasks import tasks
from sregym_cluster_embedded.userland.process import process_of
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ExecResult

_NAMESPACES = {
    "m": "mnt", "u": "uts", "i": "ipc", "n": "net", "p": "pid", "C": "cgroup", "U": "user", "T": "time",
}  # fmt: skip
_LONG = {
    "mount": "m", "uts": "u", "ipc": "i", "net": "n", "pid": "p", "cgroup": "C", "user": "U", "time": "T",
    "all": "a", "target": "t", "root": "r", "wd": "w", "no-fork": "F", "preserve-credentials": "P",
}  # fmt: skip


def _chroot(session: Session, words: list[str], stdin: str) -> Output:
    operands = list(words[1:])
    while operands and operands[0].startswith("--"):
        operands.pop(0)
    if not operands:
        if session.busybox:
            return Output(
                1,
                "",
                "BusyBox v1.36.1 () multi-call binary.\n\nUsage: chroot NEWROOT [PROG ARGS]\n",
            )
        return Output(
            125, "", "chroot: missing operand\nTry 'chroot --help' for more information.\n"
        )
    where, command = operands[0], operands[1:]
    code = 1 if session.busybox else 125
    path = session.files.resolve(session.path(where))
    inode = session.files.stat(path)
    head = (
        f"chroot: can't change root directory to '{where}'"
        if session.busybox
        else (f"chroot: cannot change root directory to '{where}'")
    )
    if inode is None or inode.kind != FOLDER:
        why = "No such file or directory" if inode is None else "Not a directory"
        return Output(code, "", f"{head}: {why}\n")
    if not session.rights.has("SYS_CHROOT"):
        return Output(code, "", f"{head}: Operation not permitted\n")
    other = _in_root_of_another(session, path, command or ["/bin/sh"], stdin)
    if other is not None:
        return _output(session, other, (command or ["/bin/sh"])[0], "chroot")
    node = _root_of_node(session, path)
    if node is None and path != "/":
        shell = command[0] if command else "/bin/sh"
        quoted = (
            f"can't execute '{shell}'" if session.busybox else f"failed to run command '{shell}'"
        )
        return Output(127, "", f"chroot: {quoted}: No such file or directory\n")
    shell = session.environment.get("SHELL", "/bin/sh")
    argv = command or ([shell if session.on_host or shell == "/bin/bash" else "/bin/sh", "-i"])
    if node is None:
        assert session.runner is not None
        return session.runner(argv, stdin)
    if not command and session.on_terminal:
        session.entered = node
        return Output()
    return on_node(session, node, argv, stdin, "chroot")


def _in_root_of_another(
    session: Session, path: str, argv: list[str], stdin: str
) -> ExecResult | None:
    """A command below the root of another container's process; None where no such root is."""
    found = session.files.elsewhere.of(path)
    if found is None or found[1] != "/":
        return None
    ref = found[0].container.config.ref
    process = process_of(session.world, ref)
    if process is None:
        return session.runtime.run_on_host(
            session.world, session.process.config.node, argv, stdin, session.rights,
            exported(session),
        )  # fmt: skip
    inner = session.runtime.session(session.world, process)
    return session.runtime.exec_in(inner, tuple(argv), stdin)


def _root_of_node(session: Session, path: str) -> str | None:
    """The node whose root a path is; None for any other folder."""
    if session.on_host:
        return None
    point = session.files.mount_of(path)
    if point is None or point.mount is None or point.place != path or point.mount.sub_path:
        return None
    found = folder_of_host(point.mount.volume)
    return found[0] if found is not None and found[1] == "/" else None


def _nsenter(session: Session, words: list[str], stdin: str) -> Output:
    letters, target, command, mistake = _taken(words[1:])
    if mistake:
        return Output(1, "", f"nsenter: {mistake}\nTry 'nsenter --help' for more information.\n")
    if not target:
        return Output(
            1,
            "",
            "nsenter: no target PID specified\n"
            if letters
            else "nsenter: neither filename nor target pid supplied for ns/mnt\n",
        )
    known = next((task for task in tasks(session.files.container) if str(task.pid) == target), None)
    if known is None:
        return Output(
            1, "", f"nsenter: cannot open /proc/{target}/ns/mnt: No such file or directory\n"
        )
    first = next((letter for letter in letters if letter in _NAMESPACES), "m")
    if not (session.rights.has("SYS_ADMIN") and session.rights.has("SYS_PTRACE")):
        verb = "open" if not session.rights.has("SYS_PTRACE") else "reassociate to namespace"
        place = f"/proc/{target}/ns/{_NAMESPACES[first]}"
        if verb == "open":
            return Output(
                1,
                "",
                f"nsenter: can't open '{place}': Permission denied\n"
                if session.busybox
                else f"nsenter: cannot open {place}: Permission denied\n",
            )
        return Output(
            1,
            "",
            f"nsenter: reassociate to namespace 'ns/{_NAMESPACES[first]}' failed: Operation not permitted\n",
        )
    argv = command or ["/bin/sh"]
    whole = "m" in letters or "a" in letters
    if (
        known.process is not None
        and known.process.ref != session.process.ref
        and (whole or "n" in letters)
    ):
        inner = session.runtime.session(session.world, known.process)
        result = session.runtime.exec_in(inner, tuple(argv), stdin)
        return _output(session, result, argv[0], "nsenter")
    if not whole:
        assert session.runner is not None
        return session.runner(argv, stdin)
    if session.on_host or known.process is not None:
        assert session.runner is not None
        return session.runner(argv, stdin)
    if not command and session.on_terminal:
        session.entered = session.process.config.node
        return Output()
    return on_node(session, session.process.config.node, argv, stdin, "nsenter")


def _taken(words: list[str]) -> tuple[str, str, list[str], str]:
    """Letters of namespaces, the target, the command, and what is wrong with an option."""
    letters, target, rest = "", "", list(words)
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        if word == "--":
            break
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            letter = _LONG.get(name, "")
            if not letter:
                return letters, target, rest, f"unrecognized option '{word}'"
            if letter == "t":
                target = value if equals or not rest else rest.pop(0)
            letters += letter
            continue
        for place, letter in enumerate(word[1:], start=1):
            letters += letter
            if letter in "tSG":
                value = word[place + 1 :] or (rest.pop(0) if rest else "")
                target = value if letter == "t" else target
                break
    return letters, target, rest, ""


def on_node(session: Session, node: str, argv: list[str], stdin: str, name: str) -> Output:
    """Run a command on a node for another command, with the rights that the caller has."""
    result = session.runtime.run_on_host(
        session.world, node, argv, stdin, session.rights, exported(session)
    )
    return _output(session, result, argv[0], name)


def exported(session: Session) -> dict[str, str]:
    """The variables that commands of a session see."""
    return {
        name: value for name, value in session.environment.items() if name not in session.unexported
    }


def _output(session: Session, result: ExecResult, word: str, name: str) -> Output:
    session.slept_s += result.duration_s
    if result.error:
        if name == "chroot":
            quoted = (
                f"can't execute '{word}'" if session.busybox else f"failed to run command '{word}'"
            )
        else:
            quoted = f"can't execute '{word}'" if session.busybox else f"failed to execute {word}"
        return Output(127, "", f"{name}: {quoted}: No such file or directory\n")
    return Output(result.exit_code, result.stdout, result.stderr)


ENTERING_COMMANDS: dict[str, Command] = {"chroot": _chroot, "nsenter": _nsenter}
