"""The disks of a node: df, lsblk, mount, smartctl, fsck, badblocks, iostat."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.kubelet.report import pod_of
from sregym_cluster_embedded.kubelet.usage import available_disk, pods_on
from sregym_cluster_embedded.userland.disk import REQUEST_MS
from sregym_cluster_embedded.userland.files.machine import kernel
from sregym_cluster_embedded.userland.host.node import DISK
from sregym_cluster_embedded.userland.shell.changing import CHANGING_COMMANDS
from sregym_cluster_embedded.userland.shell.options import human, options
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session

if TYPE_CHECKING:
    from sregym_cluster_embedded.machines import Machine
    from sregym_cluster_embedded.world import World

_WHOLE = "/dev/vda"
_ON_ROOT = (DISK, _WHOLE, "/", "/dev/root")


class RootDiskSpace(NamedTuple):
    """Bytes of a root disk: all, and those that are free."""

    size_bytes: int
    free_bytes: int


def root_disk_space(world: World, machine: Machine) -> RootDiskSpace:
    """How full the root disk of a node is, as its kubelet finds it."""
    known = ((pod_of(world, state), state) for state in pods_on(world, machine.name))
    pods = [(pod, state) for pod, state in known if pod is not None]
    return RootDiskSpace(machine.root.size_bytes, available_disk(world, machine, pods))


def _machine(session: Session) -> Machine:
    found = machines.machine(session.world, session.process.config.node)
    assert found is not None, "commands run on machines that are there"
    return found


def _lsblk(session: Session, words: list[str], _stdin: str) -> Output:
    size = _machine(session).root.size_bytes
    shown = human(size // 1024, unit=1024)
    if "-f" in words:
        room = root_disk_space(session.world, _machine(session))
        used = round(100 * (1 - room.free_bytes / room.size_bytes))
        free = human(room.free_bytes // 1024, unit=1024)
        return Output(
            0,
            "NAME   FSTYPE FSVER LABEL UUID                                 FSAVAIL FSUSE% MOUNTPOINTS\n"
            f"vda\n└─vda1 ext4   1.0         {_uuid(session)} {free:>7} {used:>5}% /\n",
        )
    return Output(
        0,
        "NAME   MAJ:MIN RM  SIZE RO TYPE MOUNTPOINTS\n"
        f"vda    254:0    0 {shown:>5}  0 disk \n└─vda1 254:1    0 {shown:>5}  0 part /\n",
    )


def _uuid(session: Session) -> str:
    text = (session.files.read("/etc/machine-id") or "").strip().ljust(32, "0")
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:32]}"


def _blkid(session: Session, _words: list[str], _stdin: str) -> Output:
    return Output(0, f'{DISK}: UUID="{_uuid(session)}" BLOCK_SIZE="4096" TYPE="ext4"\n')


def _mount(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words, "ot")
    if "o" not in flags and "a" not in flags:
        return CHANGING_COMMANDS["mount"](session, words, stdin)
    wanted = flags.get("o", "").split(",")
    if not session.rights.has("SYS_ADMIN"):
        place = operands[-1] if operands else "/"
        return Output(32, "", f"mount: {place}: permission denied.\n")
    if "remount" not in wanted:
        return Output() if "a" in flags else CHANGING_COMMANDS["mount"](session, words, stdin)
    if not operands or operands[-1] not in _ON_ROOT:
        place = operands[-1] if operands else ""
        return Output(32, "", f"mount: {place}: mount point not mounted or bad option.\n")
    node = session.process.config.node
    if "ro" in wanted or "rw" in wanted:
        machines.change_root(session.world, node, read_only="rw" not in wanted)
    return Output()


def _findmnt(session: Session, words: list[str], _stdin: str) -> Output:
    _, operands = options(words, "otn")
    points = session.files.container.all_points()
    chosen = [p for p in points if not operands or operands[-1] in (p.place, p.source)]
    rows = [
        (p.place, p.source, p.fstype, f"{'ro' if p.read_only else 'rw'},{p.options}")
        for p in chosen
    ]
    titles = ("TARGET", "SOURCE", "FSTYPE", "OPTIONS")
    wide = [max(len(row[n]) for row in (titles, *rows)) for n in range(3)]
    lines = [
        " ".join([*(f"{row[n]:<{wide[n]}}" for n in range(3)), row[3]]) for row in (titles, *rows)
    ]
    return Output(0 if rows else 1, "".join(f"{line}\n" for line in lines) if rows else "")


def _smartctl(session: Session, words: list[str], _stdin: str) -> Output:
    if not session.rights.has("SYS_RAWIO"):
        return Output(2, "", f"Smartctl open device: {words[-1]} failed: Permission denied\n")
    disk = _machine(session).root
    release = kernel(session.files.container)
    bad = sum(last - first + 1 for first, last in disk.bad_blocks)
    head = f"smartctl 7.3 2022-02-28 r5338 [x86_64-linux-{release}] (local build)\n\n"
    if words[-1] not in (_WHOLE, DISK):
        return Output(2, f"{head}Smartctl open device: {words[-1]} failed: No such device\n")
    info = (
        "=== START OF INFORMATION SECTION ===\nDevice Model:     QEMU HARDDISK\n"
        f"User Capacity:    {disk.size_bytes:,} bytes\nSector Size:      512 bytes logical/physical\n"
        "SMART support is: Available - device has SMART capability.\n"
        "SMART support is: Enabled\n\n"
    )
    health = (
        "=== START OF READ SMART DATA SECTION ===\n"
        f"SMART overall-health self-assessment test result: {'FAILED!' if bad >= 4096 else 'PASSED'}\n\n"
    )
    rows = (
        (5, "Reallocated_Sector_Ct", 0), (187, "Reported_Uncorrect", bad), (197, "Current_Pending_Sector", bad),
        (198, "Offline_Uncorrectable", bad), (199, "UDMA_CRC_Error_Count", 0),
    )  # fmt: skip
    table = (
        "Vendor Specific SMART Attributes with Thresholds:\n"
        "ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW_VALUE\n"
    )
    for number, name, raw in rows:
        value = 100 if not raw else max(1, 100 - raw)
        table += f"{number:>3} {name:<23} 0x0032   {value:03d}   {value:03d}   010    Old_age   Always       -       {raw}\n"
    flags = "".join(word for word in words[1:] if word.startswith("-"))
    out = head
    out += info if set("iax") & set(flags) else ""
    out += health if set("Hax") & set(flags) else ""
    out += table if set("Aax") & set(flags) else ""
    return Output(0 if not bad else 64, out)


def _fsck(_session: Session, words: list[str], _stdin: str) -> Output:
    device = words[-1] if len(words) > 1 else DISK
    if device not in _ON_ROOT:
        name = words[0].rpartition("/")[2]
        return Output(8, "", f"{name}: No such file or directory while trying to open {device}\n")
    head = "e2fsck 1.47.0 (5-Feb-2023)\n"
    if "-n" not in words:
        return Output(8, head, f"{DISK} is mounted.\ne2fsck: Cannot continue, aborting.\n\n\n")
    return Output(
        0,
        f"Warning!  {DISK} is mounted.\nWarning: skipping journal recovery because doing a read-only filesystem check.\n{DISK}: clean, 98211/16777216 files\n",
        head,
    )


def _badblocks(session: Session, words: list[str], _stdin: str) -> Output:
    if not session.rights.has("SYS_RAWIO"):
        return Output(1, "", f"badblocks: Permission denied while trying to open {words[-1]}\n")
    disk = _machine(session).root
    out = "".join(
        f"{4 * block}\n"
        for first, last in disk.bad_blocks
        for block in range(first, min(last, first + 999) + 1)
    )
    return Output(0, out)


# Requests a second, KiB a second, milliseconds and queue length of reads, then of writes; use in percent.
_IOSTAT = (
    ("r/s", 7), ("rkB/s", 9), ("r_await", 7), ("rareq-sz", 8), ("w/s", 7), ("wkB/s", 9),
    ("w_await", 7), ("wareq-sz", 8), ("aqu-sz", 7), ("%util", 6),
)  # fmt: skip
_QUIET = (0.4, 9.1, 0.5, 22.8, 2.3, 41.6, 0.9, 18.1, 0.0, 0.2)


def _iostat(session: Session, _words: list[str], _stdin: str) -> Output:
    disk = _machine(session).root
    await_ms, each_s = disk.queued * REQUEST_MS, 1000 / REQUEST_MS
    busy = (each_s, each_s * 1024, await_ms, 1024.0)
    row = _QUIET
    if disk.queued and disk.displaced:
        row = (*busy, 2.3, 41.6, await_ms, 18.1, disk.queued, 100.0)
    elif disk.queued:
        row = (0.4, 9.1, await_ms, 22.8, *busy, disk.queued, 100.0)
    elif disk.latency_ms:
        late = disk.latency_ms
        row = (0.4, 9.1, 0.5 + late, 22.8, 2.3, 41.6, 0.9 + late, 18.1, 2.7 * late / 1000, 100.0)
    release = kernel(session.files.container)
    head = f"Linux {release} ({session.process.config.node}) \t_x86_64_\n\n"
    titles = "".join(f" {name:>{wide}}" for name, wide in _IOSTAT)
    shown = "".join(f" {value:>{w}.2f}" for value, (_, w) in zip(row, _IOSTAT, strict=True))
    return Output(0, f"{head}Device    {titles}\nvda       {shown}\n\n")


def _fstrim(session: Session, words: list[str], _stdin: str) -> Output:
    free = root_disk_space(session.world, _machine(session)).free_bytes
    gib = f"{free / 2**30:.1f} GiB ({free} bytes)"
    return Output(0, f"/: {gib} trimmed\n" if {"-v", "-av", "-va"} & set(words) else "")


def _swap(_session: Session, words: list[str], _stdin: str) -> Output:
    name = words[0].rpartition("/")[2]
    return (
        Output()
        if name == "swapoff" or len(words) < 2
        else Output(255, "", f"swapon: {words[-1]}: read swap header failed\n")
    )


DISK_COMMANDS: dict[str, Command] = {
    "badblocks": _badblocks, "blkid": _blkid, "e2fsck": _fsck, "findmnt": _findmnt, "fsck": _fsck,
    "fsck.ext4": _fsck, "fstrim": _fstrim, "iostat": _iostat, "lsblk": _lsblk, "mount": _mount, "smartctl": _smartctl,
    "swapoff": _swap, "swapon": _swap,
}  # fmt: skip
