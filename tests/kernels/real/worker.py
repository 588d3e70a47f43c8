"""A guest that is the node of a cluster: user-mode Linux with containerd, runc, sshd and a volume."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from .guest import Guest
from .images import IMAGES, packed
from .needing import needs

# What it takes besides: files of the test's folder under a name that stays, a network, a disk for volumes.
_FIRST = "mount --bind {folder} /media\n"
_MORE = """
for place in /root /var/log /usr/local/sbin; do mount -t tmpfs tmp $place; done
cp /media/crictl /usr/local/sbin && chmod 755 /usr/local/sbin/crictl
for file in hosts resolv.conf; do cp /etc/$file /tmp/$file && mount --bind /tmp/$file /etc/$file; done
printf '127.0.0.1 localhost\\n' > /etc/hosts
mount -t devpts pts /dev/pts 2>/dev/null
hostname {name}
ip addr add {address}/30 dev vec0 && ip link set vec0 up && ip route add default via {gateway}
truncate -s 64M /var/lib/disk
disk=$(losetup -f --show /var/lib/disk)
printf '0 4096 linear %s 0\\n4096 126976 linear %s 4096\\n' $disk $disk | dmsetup create --noudevsync vol-data
dmsetup mknodes
mkfs.ext4 -q /dev/mapper/vol-data
mkdir -p /var/lib/kubelet && mount /dev/mapper/vol-data /var/lib/kubelet
mkdir -p /run/sshd /run/containerd
/usr/sbin/sshd -f /media/sshd_config -E /tmp/sshd.log
containerd -c /media/containerd.toml > /tmp/containerd.log 2>&1 < /dev/null &
"""
_SSHD = """HostKey /media/host
AuthorizedKeysFile /media/user.pub
StrictModes no
UsePAM no
PidFile none
PermitRootLogin yes
UseDNS no
"""
_CONTAINERD = """version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper"]
"""
# Of what nodes of Kubernetes have: a container is ended, and its kubelet starts it again.
_CRICTL = """#!/bin/sh
[ "$1" = stop ] || { echo "crictl: only stop is known here" >&2; exit 1; }
exec ctr -n k8s.io tasks kill --signal SIGKILL "$2"
"""
_IMPORT = (
    "for i in $(seq 300); do ctr version >/dev/null 2>&1 && break; sleep 0.2; done; "
    "for image in /media/*.tar; do ctr -n k8s.io images import $image || exit 1; done"
)
_PROGRAMS = (
    "linux.uml",
    "containerd",
    "ctr",
    "containerd-shim-runc-v2",
    "runc",
    "sshd",
    "ssh",
    "ssh-keygen",
)


# Addresses of pods on all such machines begin so.
POD_NETWORK = "10.245."


class Worker(Guest):
    """A running one; leaving the context stops it.

    Args:
        folder: For its files.
        name: Of the machine.
        number: Of the machine, among those of this process.
    """

    def __init__(self, folder: Path, name: str, number: int) -> None:
        needs(*_PROGRAMS, "dmsetup", "losetup", "mkfs.ext4", "busybox", "ip", "redis-server")
        super().__init__(folder)
        link = os.getpid() % 60000 // 4 * 4
        self._tap, base = f"tap{number}-{link}", f"10.{231 + number}.{link >> 8}"
        self._gateway, self.address = f"{base}.{(link & 255) + 1}", f"{base}.{(link & 255) + 2}"
        # Of several labs at a time each sees its own alone, since their routes differ.
        self._pods = f"{POD_NETWORK}{os.getpid() % 120 * 2 + number}"
        self.left = f"ip link del {self._tap}"
        self.name = name
        self.memory = "1G"
        self.words = (f"vec0:transport=tap,ifname={self._tap},depth=64,gro=1",)
        self.modules = ("fs/overlayfs/overlay",)

    def __enter__(self) -> Worker:
        self._network()
        for key in ("host", "user"):
            words = (
                "ssh-keygen",
                "-q",
                "-t",
                "ed25519",
                "-N",
                "",
                "-C",
                "admin",
                "-f",
                str(self.folder / key),
            )
            subprocess.run(words, check=True)
        (self.folder / "sshd_config").write_text(_SSHD)
        (self.folder / "containerd.toml").write_text(_CONTAINERD)
        (self.folder / "crictl").write_text(_CRICTL)
        (self.folder / "pods.py").write_bytes((Path(__file__).parent / "pods.py").read_bytes())
        for name, image in IMAGES.items():
            (self.folder / f"{name}.tar").write_bytes(packed(image))
        super().__enter__()
        self.said("sh", "-c", _IMPORT)
        return self

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        subprocess.run(["ip", "link", "del", self._tap], check=False)

    def pod_address(self, count: int) -> str:
        """That of the so many-th pod."""
        return f"{self._pods}.{count % 250 + 2}"

    def first(self) -> str:
        return _FIRST.format(folder=self.folder)

    def more(self) -> str:
        return _MORE.format(name=self.name, address=self.address, gateway=self._gateway)

    def _network(self) -> None:
        made = subprocess.run(
            ["ip", "tuntap", "add", "dev", self._tap, "mode", "tap"],
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode:
            pytest.skip(f"needs a network device for a guest: {made.stderr.strip()}")
        subprocess.run(["ip", "addr", "add", f"{self._gateway}/30", "dev", self._tap], check=True)
        subprocess.run(["ip", "link", "set", self._tap, "up"], check=True)
        # Machines reach each other's pods through this one.
        Path(f"/proc/sys/net/ipv4/conf/{self._tap}/forwarding").write_text("1")
        subprocess.run(
            ["ip", "route", "add", f"{self._pods}.0/24", "via", self.address], check=True
        )
