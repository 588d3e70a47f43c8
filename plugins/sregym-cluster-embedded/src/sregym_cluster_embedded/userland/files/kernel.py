"""What the kernel shows as files: /proc, /sys and the devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.userland import throttling
from sregym_cluster_embedded.userland.files.accounting import COUNTED
from sregym_cluster_embedded.userland.files.figures import FIGURES
from sregym_cluster_embedded.userland.files.inode import DEVICE, FILE, FOLDER, Inode, link
from sregym_cluster_embedded.userland.files.machine import cpus, kernel, load_averages, memory_info
from sregym_cluster_embedded.userland.files.namespaces import NAMESPACES, namespace
from sregym_cluster_embedded.userland.files.tasks import Task, tasks
from sregym_cluster_embedded.userland.process import process_of
from sregym_cluster_embedded.userland.toolsets import flavour_of, tool_paths

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.userland.files.container import Container

_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_LINKS = {
    "fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1",
    "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx", "core": "/proc/kcore",
}  # fmt: skip
_TASK_LINKS = ("cwd", "exe", "root")
# Files of the network that stand in the folder of each process, too.
_NETWORK = (
    "net/dev", "net/route", "net/sockstat", "net/sockstat6", "net/tcp", "net/tcp6",
)  # fmt: skip
_UNLIMITED_V1 = 9223372036854771712
_STATES = {
    "S": "S (sleeping)", "R": "R (running)", "Z": "Z (zombie)", "T": "T (stopped)", "I": "I (idle)",
    "D": "D (disk sleep)",
}  # fmt: skip


class KernelPaths(NamedTuple):
    """What stands below /proc, /sys and /dev at a moment.

    Attributes:
        files: In order, links and devices among them.
        known: The same, to be found fast.
        folders: All folders above them.
    """

    files: list[str]
    known: frozenset[str]
    folders: frozenset[str]


def kernel_inode(container: Container, path: str) -> Inode | None:
    """The inode at a path below /proc, /sys or /dev, or None."""
    if path in ("/proc", "/sys"):
        links = 150 if path == "/proc" else 12
        return Inode(FOLDER, mode=0o555, mtime=container.began, links=links, shown_bytes=0)
    if path == "/dev":
        return _memory_folder(container, 340, 5)
    if path in ("/dev/shm", "/dev/mqueue"):  # noqa: S108 - shared memory of the container
        return _memory_folder(container, 40, 2)._replace(mode=0o1777)
    if path == "/dev/pts":
        return _memory_folder(container, 0, 2)
    head, _, name = path.rpartition("/")
    if head.endswith("/fd") and path in _paths(container).known:
        return link("/dev/null" if name == "0" else f"pipe:[{40_000 + int(name)}]", container.began)
    if head.endswith("/ns") and path in _paths(container).known:
        number = head.split("/")[2]
        return link(namespace(beheld(container, number), name), container.began)
    if name in _TASK_LINKS and path in _paths(container).known:
        return link(_led(container, head.rpartition("/")[2], name), container.began)
    if head == "/dev" and name in _DEVICES:
        return Inode(DEVICE, mode=0o666, mtime=container.began)
    if head == "/dev" and name in _LINKS:
        return link(_LINKS[name], container.began)
    text = kernel_text(container, path)
    if text is not None:
        return Inode(FILE, text, 0o444, mtime=container.began, shown_bytes=0)
    if path in _paths(container).folders:
        return Inode(FOLDER, mode=0o555, mtime=container.began, links=2, shown_bytes=0)
    return None


def kernel_paths(container: Container) -> list[str]:
    """All paths below /proc and /sys that can be read, and the entries of /dev."""
    return _paths(container).files


def _paths(container: Container) -> KernelPaths:
    """The same for as long as one command looks at them."""
    if container.kernel_paths is None:
        files = _found(container)
        folders: set[str] = set()
        for path in files:
            while (path := path.rpartition("/")[0]) and path not in folders:
                folders.add(path)
        container.kernel_paths = KernelPaths(files, frozenset(files), frozenset(folders))
    return container.kernel_paths


def _found(container: Container) -> list[str]:
    running = tasks(container)
    per_task = [f"/proc/{task.pid}/{name}" for task in running for name in _TASK_FILES]
    per_task += [f"/proc/{task.pid}/{name}" for task in running for name in _TASK_LINKS]
    numbers = [*(str(task.pid) for task in running), "self"]
    per_task += [f"/proc/{number}/ns/{name}" for number in numbers for name in NAMESPACES]
    per_task += [f"/proc/{number}/{name}" for number in numbers for name in _NETWORK]
    own = [f"/proc/self/{name}" for name in (*_TASK_FILES, *_TASK_LINKS)]
    own += [f"/proc/{task.pid}/fd/{n}" for task in running for n in range(3)]
    own += [f"/proc/self/fd/{n}" for n in range(3)]
    devices = [f"/dev/{name}" for name in (*_DEVICES, *_LINKS, "shm", "mqueue", "pts")]
    return [*_FILES, *per_task, *own, *_cgroup_files(container), *devices]


def kernel_text(container: Container, path: str) -> str | None:
    """The text that reading a file of the kernel gives, or None."""
    if path in _FILES:
        return _FILES[path](container)
    if path.startswith("/sys/"):
        return _cgroup_files(container).get(path)
    parts = path.split("/")
    if path.startswith("/proc/") and "/".join(parts[3:]) in _NETWORK:
        return _FILES[f"/proc/{'/'.join(parts[3:])}"](beheld(container, parts[2]))
    if path.startswith("/proc/") and len(parts) == 4 and parts[3] in _TASK_FILES:
        running = tasks(container)
        if parts[2] in ("self", "thread-self"):
            running, parts[2] = [*running, Task(44, 0, "cat", ("cat",), "R")], "44"
        for task in running:
            if str(task.pid) == parts[2]:
                return _TASK_FILES[parts[3]](container, task)
    return None


def _led(container: Container, number: str, name: str) -> str:
    """Where the links of a process lead: its executable, its folder, its root."""
    if name == "root":
        return "/"
    task = next((task for task in tasks(container) if str(task.pid) == number), None)
    container = beheld(container, number)
    if name == "cwd":
        return str(container.config.spec.get("workingDir") or container.known.image.working_dir)
    word = task.argv[0] if task is not None and task.argv else "cat"
    places = (*container.known.image.binaries, *tool_paths(container.known.image.tools))
    path = (
        word
        if word.startswith("/")
        else next((place for place in places if place.endswith(f"/{word}")), f"/usr/bin/{word}")
    )
    if flavour_of(container.known.image.tools) in ("alpine", "busybox") and (
        path not in container.known.image.binaries
    ):
        return "/bin/busybox"
    return path


def beheld(container: Container, number: str) -> Container:
    """The container in which a process runs that is seen from another one, by its number."""
    if not number.isdecimal():
        return container
    task = next((task for task in tasks(container) if str(task.pid) == number), None)
    if task is None or task.process is None or task.process.ref == container.config.ref:
        return container
    return container.beside(task.process)


def _memory_folder(container: Container, size: int, links: int) -> Inode:
    return Inode(
        FOLDER, mode=0o755, mtime=container.began, links=links, shown_bytes=size, on_disk=False
    )


def _status(container: Container, task: Task) -> str:
    if task.process is not None:
        container = container.beside(task.process)
    rights = container.credentials
    groups = "".join(f"{group} " for group in rights.groups)
    kib = task.memory_kib
    lines = {
        "Name": task.name[:15],
        "Umask": "0022",
        "State": _STATES[task.state],
        "Tgid": task.pid,
        "Ngid": 0,
        "Pid": task.pid,
        "PPid": task.parent,
        "TracerPid": 0,
        "Uid": "\t".join([str(rights.uid)] * 4),
        "Gid": "\t".join([str(rights.gid)] * 4),
        "FDSize": 64,
        "Groups": groups,
        "VmPeak": f"{kib + 2048:>8} kB",
        "VmSize": f"{kib + 2048:>8} kB",
        "VmHWM": f"{kib:>8} kB",
        "VmRSS": f"{kib:>8} kB",
        "Threads": 1,
        "CapInh": f"{0:016x}",
        "CapPrm": f"{rights.effective:016x}",
        "CapEff": f"{rights.effective:016x}",
        "CapBnd": f"{rights.bounding:016x}",
        "CapAmb": f"{0:016x}",
        "NoNewPrivs": int(rights.no_new_privileges),
        "Seccomp": 0,
        "Seccomp_filters": 0,
        "Cpus_allowed_list": f"0-{cpus(container) - 1}",
        "voluntary_ctxt_switches": 12,
        "nonvoluntary_ctxt_switches": 3,
    }
    return "".join(f"{name}:\t{value}\n" for name, value in lines.items())


def _environment(_container: Container, task: Task) -> str:
    return "".join(f"{name}={value}\0" for name, value in task.environment)


def _limits(container: Container, task: Task) -> str:
    own = process_of(container.world, container.config.ref) if task.pid == 1 else None
    files = str(_machine(container).open_files if own is None else own.open_files)
    rows = (
        ("Max cpu time", "unlimited", "unlimited", "seconds"),
        ("Max file size", "unlimited", "unlimited", "bytes"),
        ("Max data size", "unlimited", "unlimited", "bytes"),
        ("Max stack size", "8388608", "unlimited", "bytes"),
        ("Max core file size", "unlimited", "unlimited", "bytes"),
        ("Max resident set", "unlimited", "unlimited", "bytes"),
        ("Max processes", "unlimited", "unlimited", "processes"),
        ("Max open files", files, files, "files"),
        ("Max locked memory", "8388608", "8388608", "bytes"),
        ("Max address space", "unlimited", "unlimited", "bytes"),
        ("Max file locks", "unlimited", "unlimited", "locks"),
        ("Max pending signals", "31203", "31203", "signals"),
        ("Max msgqueue size", "819200", "819200", "bytes"),
        ("Max nice priority", "0", "0", ""),
        ("Max realtime priority", "0", "0", ""),
        ("Max realtime timeout", "unlimited", "unlimited", "us"),
    )
    head = f"{'Limit':<25} {'Soft Limit':<20} {'Hard Limit':<20} {'Units':<10}\n"
    return head + "".join(f"{a:<25} {b:<20} {c:<20} {d:<10}\n" for a, b, c, d in rows)


def _cgroup_files(container: Container) -> dict[str, str]:
    """Limits and use, under the names of both versions of control groups."""
    config = container.config
    limit, cores = config.memory_limit_bytes, config.cpu_limit_cores
    used = sum(task.memory_kib for task in tasks(container)) * 1024
    quota = -1 if cores is None else int(cores * 100_000)
    shares = throttling.shares(config)
    base = "/sys/fs/cgroup"
    pids = len(tasks(container)) + 1
    return {
        f"{base}/memory/memory.limit_in_bytes": f"{_UNLIMITED_V1 if limit is None else limit}\n",
        f"{base}/memory/memory.usage_in_bytes": f"{used}\n",
        f"{base}/memory/memory.max_usage_in_bytes": f"{used}\n",
        f"{base}/memory/memory.failcnt": "0\n",
        f"{base}/cpu,cpuacct/cpu.cfs_quota_us": f"{quota}\n",
        f"{base}/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
        f"{base}/cpu,cpuacct/cpu.shares": f"{shares}\n",
        f"{base}/cpu/cpu.cfs_quota_us": f"{quota}\n",
        f"{base}/cpu/cpu.cfs_period_us": "100000\n",
        f"{base}/cpu/cpu.shares": f"{shares}\n",
        f"{base}/pids/pids.max": "max\n",
        f"{base}/pids/pids.current": f"{pids}\n",
        f"{base}/memory.max": f"{'max' if limit is None else limit}\n",
        f"{base}/memory.current": f"{used}\n",
        f"{base}/memory.peak": f"{used}\n",
        f"{base}/memory.events": "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n",
        f"{base}/memory.stat": f"anon {used}\nfile 0\nkernel 0\n",
        f"{base}/cpu.max": f"{'max' if quota < 0 else quota} 100000\n",
        f"{base}/cpu.weight": f"{1 + (shares - 2) * 9999 // 262142}\n",
        f"{base}/pids.max": "max\n",
        f"{base}/pids.current": f"{pids}\n",
        f"{base}/cgroup.procs": "".join(f"{task.pid}\n" for task in tasks(container)),
        "/sys/class/net/eth0/mtu": "1500\n",
        "/sys/class/net/eth0/operstate": "up\n",
        "/sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
    }


def _cpu_info(container: Container) -> str:
    return "".join(
        f"processor\t: {n}\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 106\n"
        "model name\t: Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz\ncpu MHz\t\t: 2800.000\n"
        f"siblings\t: {cpus(container)}\ncpu cores\t: {cpus(container)}\n\n"
        for n in range(cpus(container))
    )


def _uptime(container: Container) -> str:
    seconds = container.world.now + 86_400
    return f"{seconds:.2f} {seconds * cpus(container) * 0.9:.2f}\n"


def _stat(_container: Container, task: Task) -> str:
    ticks = " ".join(["0"] * 30)
    return f"{task.pid} ({task.name[:15]}) {task.state} {task.parent} {task.pid} {ticks}\n"


def _mounts(container: Container) -> str:
    return "".join(
        f"{p.source} {p.place} {p.fstype} {'ro' if p.read_only else 'rw'},{p.options} 0 0\n"
        for p in container.all_points()
    )


_SYSCTLS: dict[str, Callable[[Container], str]] = {
    "kernel/hostname": lambda c: c.config.hostname,
    "kernel/osrelease": kernel,
    "kernel/ostype": lambda _: "Linux",
    "kernel/version": lambda _: machines.KERNEL_BUILD,
    "kernel/pid_max": lambda _: "4194304",
    "kernel/threads-max": lambda _: "62406",
    "vm/max_map_count": lambda _: "262144",
    "vm/swappiness": lambda _: "60",
    "vm/overcommit_memory": lambda _: "1",
    "fs/file-max": lambda _: "9223372036854775807",
    "fs/file-nr": lambda _: "2144\t0\t9223372036854775807",
    "fs/nr_open": lambda _: "1048576",
    "fs/inotify/max_user_watches": lambda _: "65536",
    "fs/inotify/max_user_instances": lambda _: "128",
    "net/core/somaxconn": lambda _: "4096",
    "net/ipv4/ip_local_port_range": lambda _: "32768\t60999",
    "net/ipv4/ip_forward": lambda _: "1",
    "net/ipv4/tcp_syncookies": lambda _: "1",
    "net/ipv4/tcp_keepalive_time": lambda _: "7200",
    "net/ipv4/tcp_keepalive_intvl": lambda _: "75",
    "net/ipv4/tcp_keepalive_probes": lambda _: "9",
    "net/ipv4/tcp_fin_timeout": lambda _: "60",
    "net/ipv4/tcp_tw_reuse": lambda _: "2",
    "net/ipv4/tcp_max_syn_backlog": lambda _: "4096",
    "net/ipv4/tcp_syn_retries": lambda _: "6",
    "net/ipv4/tcp_retries2": lambda _: "15",
    "net/ipv4/ip_unprivileged_port_start": lambda _: "1024",
    "net/netfilter/nf_conntrack_max": lambda _: "262144",
    "net/netfilter/nf_conntrack_count": lambda c: str(_machine(c).other_connections),
}


def _machine(container: Container) -> machines.Machine:
    found = machines.machine(container.world, container.config.node)
    return found if found is not None else machines.Machine(container.config.node, 0, 0, ())


def _sysctl(name: str) -> Callable[[Container], str]:
    def read(container: Container) -> str:
        context = container.pod["spec"].get("securityContext") or {}
        for entry in context.get("sysctls") or ():
            if entry["name"].replace(".", "/") == name:
                return f"{entry['value']}\n"
        machine = machines.machine(container.world, container.config.node)
        own = dict(machine.sysctls).get(name.replace("/", ".")) if machine is not None else None
        return f"{_SYSCTLS[name](container) if own is None else own}\n"

    return read


def _load_averages(container: Container) -> str:
    return f"{' '.join(load_averages(container))} 1/{200 + len(tasks(container))} 44\n"


_FILES: dict[str, Callable[[Container], str]] = {
    "/proc/meminfo": memory_info,
    "/proc/cpuinfo": _cpu_info,
    "/proc/uptime": _uptime,
    "/proc/loadavg": _load_averages,
    "/proc/version": lambda c: f"Linux version {kernel(c)} (build@host) {machines.KERNEL_BUILD}\n",
    "/proc/mounts": _mounts,
    "/proc/filesystems": lambda _: "nodev\tproc\nnodev\ttmpfs\n\text4\nnodev\toverlay\n",
    **FIGURES,
    **COUNTED,
    **{f"/proc/sys/{name}": _sysctl(name) for name in _SYSCTLS},
}
_TASK_FILES: dict[str, Callable[[Container, Task], str]] = {
    "status": _status,
    "cmdline": lambda _, task: "".join(f"{word}\0" for word in task.argv),
    "comm": lambda _, task: f"{task.name[:15]}\n",
    "environ": _environment,
    "limits": _limits,
    "cgroup": lambda _, task: f"0::{task.control_group}\n",
    "mounts": lambda container, _: _mounts(container),
    "stat": _stat,
    "oom_score": lambda _, _task: "666\n",
    "oom_score_adj": lambda container, _: f"{container.oom_score_adj}\n",
}
