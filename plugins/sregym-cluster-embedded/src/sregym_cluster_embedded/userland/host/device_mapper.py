"""What lies between a file system and its disk: `dmsetup`; and `hdparm`, which speaks to the disk itself.

A disk that is slow, that lies, or whose accesses fail, is so by a table of the device mapper that somebody has
loaded: without it the disk is as it was. Sectors that cannot be read are the disk's own: it takes
others for them when they are written.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_cluster_embedded.machines import Disk

_SECTOR = 512
# The device below the tables, as `major:minor`.
_BELOW = "254:1"
_DENIED = "/dev/mapper/control: open failed: Permission denied\nFailure to communicate with kernel device-mapper driver.\n"
_DEVICES = ("/dev/vda", "/dev/vda1")
# A table with errors lets accesses through for so many seconds, and fails them for the rest of these.
_PERIOD_S = 60
# What a disk is again without a table.
_WITHOUT: Mapping[str, dict[str, Any]] = MappingProxyType(
    {
        "vda1-delay": {"latency_ms": 0.0},
        "vda1-flakey": {"failing": 0.0},
        "vda1-corrupt": {"altered_blocks": ()},
    }
)


def _root(session: Session) -> Disk:
    found = machines.machine(session.world, session.process.config.node)
    assert found is not None, "commands run on machines that are there"
    return found.root


def _tables(disk: Disk) -> dict[str, str]:
    """Name of a device -> its table, of those that stand between the file system and the disk."""
    length, found = disk.size_bytes // _SECTOR, {}
    if disk.latency_ms:
        found["vda1-delay"] = f"0 {length} delay {_BELOW} 0 {disk.latency_ms:.0f}"
    if disk.failing:
        down = round(_PERIOD_S * disk.failing)
        found["vda1-flakey"] = f"0 {length} flakey {_BELOW} 0 {_PERIOD_S - down} {down}"
    if disk.altered_blocks:
        found["vda1-corrupt"] = "\n".join(_segments(disk, length))
    return found


def _segments(disk: Disk, length: int) -> Iterator[str]:
    """The lines of a table that alters what is read from some blocks."""
    begin, each = 0, machines.BLOCK // _SECTOR
    for first, last in sorted(disk.altered_blocks):
        start, end = first * each, (last + 1) * each
        if begin < start:
            yield f"{begin} {start - begin} linear {_BELOW} {begin}"
        yield f"{start} {end - start} flakey {_BELOW} {start} 0 1 2 random_read_corrupt 1000000000"
        begin = end
    if begin < length:
        yield f"{begin} {length - begin} linear {_BELOW} {begin}"


def _dmsetup(session: Session, words: list[str], _stdin: str) -> Output:
    _, operands = options(words, "u")
    if not session.rights.has("SYS_ADMIN"):
        return Output(1, "", _DENIED)
    verb, names = (operands[0] if operands else ""), operands[1:]
    tables = _tables(_root(session))
    if verb in ("remove", "remove_all"):
        return _removed(session, list(tables) if verb == "remove_all" else names, tables)
    if verb not in ("table", "status", "ls", "info"):
        return Output(1, "", f"Unknown command\n{words[0]}: {verb or 'no command given'}\n")
    if names and names[0] not in tables:
        return _missing(names[0])
    shown = {name: tables[name] for name in names[:1] or tables}
    if not shown:
        return Output(0, "No devices found\n")
    if verb == "ls":
        numbers = enumerate(shown)
        return Output(0, "".join(f"{name}\t(253:{number})\n" for number, name in numbers))
    if verb == "info":
        return Output(
            0, "\n".join(f"Name:              {n}\nState:             ACTIVE\n" for n in shown)
        )
    if verb == "status":
        shown = {
            name: "\n".join(" ".join(line.split()[:3]) for line in table.splitlines())
            for name, table in shown.items()
        }
    if len(names) == 1:
        return Output(0, f"{shown[names[0]]}\n")
    lines = [f"{name}: {line}" for name, table in shown.items() for line in table.splitlines()]
    return Output(0, "".join(f"{line}\n" for line in lines))


def _missing(name: str) -> Output:
    return Output(1, "", f"Device {name} not found\nCommand failed.\n")


def _removed(session: Session, names: list[str], tables: dict[str, str]) -> Output:
    """Take tables away: accesses go to the disk below again."""
    for name in names:
        if name not in tables:
            return _missing(name)
        machines.change_root(session.world, session.process.config.node, **_WITHOUT[name])
    return Output()


def _hdparm(session: Session, words: list[str], _stdin: str) -> Output:
    device = words[-1]
    if device not in _DEVICES:
        return Output(2, "", f"{device}: No such file or directory\n")
    if not session.rights.has("SYS_RAWIO"):
        return Output(13, "", f"{device}: Permission denied\n")
    flags = [word for word in words[1:-1] if word.startswith("--")]
    wanted = next((word for word in words if word.isdecimal()), "")
    if not wanted or not {"--read-sector", "--write-sector", "--repair-sector"} & set(flags):
        size = _root(session).size_bytes
        return Output(
            0, f"\n{device}:\n readonly      =  0 (off)\n sectors       = {size // _SECTOR}\n"
        )
    block = int(wanted) * _SECTOR // machines.BLOCK
    if "--read-sector" in flags:
        if _is_bad(_root(session), block):
            text = f"\n{device}:\nreading sector {wanted}: "
            return Output(5, text, "FAILED: Input/output error\n")
        zeros = "0000 0000 0000 0000 0000 0000 0000 0000\n" * (_SECTOR // 16)
        return Output(0, f"\n{device}:\nreading sector {wanted}: succeeded\n{zeros}")
    if "--yes-i-know-what-i-am-doing" not in flags:
        said = (
            "Use of --write-sector is VERY DANGEROUS.\n"
            "You are trying to deliberately overwrite a low-level sector on the media.\n"
            "This is a BAD idea, and can easily result in total data loss.\n"
            "Please supply the --yes-i-know-what-i-am-doing flag if you really want this.\n"
            "Program aborted.\n"
        )
        return Output(1, "", said)
    _rewrite(session, block)
    return Output(0, f"\n{device}:\nre-writing sector {wanted}: succeeded\n")


def _is_bad(disk: Disk, block: int) -> bool:
    return any(first <= block <= last for first, last in disk.bad_blocks)


def _rewrite(session: Session, block: int) -> None:
    """Write a block: the disk takes another for one that it cannot read."""
    left: list[tuple[int, int]] = []
    for first, last in _root(session).bad_blocks:
        if not first <= block <= last:
            left.append((first, last))
            continue
        left += [(first, block - 1)] if first < block else []
        left += [(block + 1, last)] if block < last else []
    machines.change_root(session.world, session.process.config.node, bad_blocks=tuple(left))


DEVICE_COMMANDS: dict[str, Command] = {"dmsetup": _dmsetup, "hdparm": _hdparm}
