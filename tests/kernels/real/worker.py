"""A machine that is the node of a cluster: Debian's kernel in QEMU with containerd, runc, sshd and a volume."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from sregym_nodes import console_guest

from .archive import Archive, linked
from .images import IMAGES, Image, packed
from .machine import APPLETS, PROGRAMS, PYTHON, Machine
from .needing import needs

_PROGRAMS = (
    *("/usr/bin/containerd", "/usr/bin/ctr", "/usr/bin/containerd-shim-runc-v2", "/usr/sbin/runc"),
    *("/usr/sbin/sshd", "/usr/sbin/dmsetup", "/usr/sbin/losetup", "/usr/sbin/mkfs.ext4"),
    *("/usr/sbin/tc", "/usr/sbin/ip"),
)
_APPLETS = (
    *("insmod", "tar", "head", "tail", "stat", "umount", "ln", "chmod", "touch", "true", "sed", "tr"),
    *("date", "hostname", "truncate", "wc", "md5sum", "chroot", "dd", "blockdev", "losetup", "id"),
)
_MODULES = (
    *("virtio_pci", "virtio_net", "dm-mod", "dm-flakey", "dm-delay", "loop", "overlay"),
    *("sch_netem", "sch_tbf"),
)
# The root of all files that a kernel brings along cannot be left by a container: it is moved.
_FIRST = """#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mkdir -p /whole && mount -o bind / /whole && cd /whole && mount -o move . / && exec chroot . /second
"""
_SECOND = """#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t devtmpfs dev /dev && mount -t proc proc /proc && mount -t sysfs sys /sys
mkdir -p /dev/shm /dev/pts
mount -t devpts pts /dev/pts
for place in /dev/shm /tmp /mnt /var/lib /root; do mount -t tmpfs tmp $place; done
mount -t tmpfs -o mode=755 run /run
mount -t cgroup2 groups /sys/fs/cgroup
echo "+cpu +memory +io +pids" > /sys/fs/cgroup/cgroup.subtree_control
mount -t securityfs security /sys/kernel/security
echo 1 > /proc/sys/kernel/printk
for module in {modules}; do insmod /modules/$module.ko; done
hostname {name}
ip link set lo up
ip addr add 10.0.2.15/24 dev eth0 && ip link set eth0 up && ip route add default via 10.0.2.2
truncate -s 64M /var/lib/disk
disk=$(losetup -f --show /var/lib/disk)
echo "0 131072 linear $disk 0" | dmsetup create --noudevsync vol-data && dmsetup mknodes
mkfs.ext4 -q /dev/mapper/vol-data && mkdir -p /var/lib/kubelet && mount /dev/mapper/vol-data /var/lib/kubelet
mkdir -p /run/sshd /run/containerd
/usr/sbin/sshd -f /etc/ssh/sshd_config -E /tmp/sshd.log
containerd -c /etc/containerd.toml > /tmp/containerd.log 2>&1 < /dev/null &
exec python3 -I /loop.py
"""
_PASSWD = """root::0:0:root:/root:/bin/sh
sshd:x:100:100::/run/sshd:/bin/false
"""
_SSHD = """HostKey /etc/ssh/host
AuthorizedKeysFile /etc/ssh/authorized
StrictModes no
UsePAM no
PidFile none
PermitRootLogin yes
UseDNS no
"""
_CONTAINERD = """version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.grpc.v1.cri"]
"""
_READY_S = 90.0


class Worker(Machine):
    """A running one; leaving the context stops it.

    Args:
        image: The kernel.
        root: Its files, as `root_of` makes them.
        port: Of the loopback, at which its sshd is reached.
    """

    def __init__(self, image: Path, root: Path, port: int) -> None:
        super().__init__(image, root)
        words = list(self._words)
        words[words.index("-m") + 1], words[words.index("-smp") + 1] = "2G", "2"
        way = f"user,model=virtio-net-pci,restrict=on,hostfwd=tcp:127.0.0.1:{port}-:22"
        self._words = (*words, "-nic", way)
        self.port = port

    def __enter__(self) -> Worker:
        super().__enter__()
        for name in IMAGES:
            into = ("ctr", "-n", "k8s.io", "images", "import", f"/images/{name}.tar")
            self.said("sh", "-c", f"for i in $(seq 300); do ctr version >/dev/null 2>&1 && exec {' '.join(into)}; sleep 0.2; done; exit 1")
        return self


def root_of(into: Path, package: Path, name: str, keys: Path) -> Path:
    """Files of this machine that such a node needs, as one archive.

    Args:
        into: Where to.
        package: The folder into which the kernel's package was unpacked.
        name: Of the machine.
        keys: Folder with `host`, the key of its sshd, and `user.pub`, of who may log in.
    """
    needs(*(Path(program).name for program in (*PROGRAMS, *_PROGRAMS)))
    archive = Archive()
    for program in (*PROGRAMS, *_PROGRAMS):
        archive.program(Path(program))
    for applet in (*APPLETS, *_APPLETS):
        archive.link(f"usr/bin/{applet}", "busybox")
    archive.copy(PYTHON)
    for module in sorted((PYTHON / "lib-dynload").glob("*.so")):
        for library in linked(module):
            archive.copy(library)
    modules = in_order(package)
    for module, file in modules.items():
        archive.add(f"modules/{module}.ko", file.read_bytes())
    archive.add("etc/passwd", _PASSWD.encode())
    archive.add("etc/group", b"root:x:0:\nsshd:x:100:\n")
    archive.add("etc/hosts", f"127.0.0.1 localhost\n127.0.1.1 {name}\n".encode())
    archive.add("etc/resolv.conf", b"")
    archive.add("etc/containerd.toml", _CONTAINERD.encode())
    archive.add("etc/ssh/sshd_config", _SSHD.encode())
    archive.add("etc/ssh/host", (keys / "host").read_bytes(), 0o600)
    archive.add("etc/ssh/authorized", (keys / "user.pub").read_bytes())
    for image, made in IMAGES.items():
        archive.add(f"images/{image}.tar", packed(made))
    archive.add("pods.py", (Path(__file__).parent / "pods.py").read_bytes())
    archive.add("init", _FIRST.encode(), 0o755)
    archive.add("second", _SECOND.format(modules=" ".join(modules), name=name).encode(), 0o755)
    archive.add("loop.py", Path(console_guest.__file__).read_bytes())
    into.write_bytes(archive.content())
    return into


def in_order(package: Path) -> dict[str, Path]:
    """Modules with what they need before them, as they say themselves."""
    there = {path.stem.replace("-", "_"): path for path in package.glob("lib/modules/**/*.ko")}
    found: dict[str, Path] = {}

    def enter(name: str) -> None:
        name = name.replace("-", "_")
        told = re.search(rb"\0depends=([^\0]*)\0", there[name].read_bytes())
        for other in filter(None, told[1].decode().split(",") if told else ()):
            enter(other)
        found.setdefault(name, there[name])

    for name in _MODULES:
        enter(name)
    return found


def keys_in(folder: Path) -> Path:
    """Keys of the node's sshd and of who logs in."""
    needs("ssh-keygen", "ssh")
    for name in ("host", "user"):
        words = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "admin", "-f", str(folder / name))
        subprocess.run(words, check=True)
    return folder
