"""Files of containers: users and modes, volumes as the kubelet lays them out, what the kernel shows."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.kubelet.runtime import Mount

SETTINGS = Mount("files", "6/cfg", {"app.conf": "a=1\n", "deep/level": "info"}, read_only=True)
SCRATCH = Mount("volume", "pod/6/scratch")
MEMORY = Mount("volume", "pod/6/memory")
MOUNTS = {"/etc/cfg": SETTINGS, "/scratch": SCRATCH, "/memory": MEMORY}
VOLUMES = [
    {
        "name": "cfg",
        "configMap": {"name": "cfg", "defaultMode": 0o400, "items": [{"key": "l", "path": "deep/level", "mode": 0o555}]},
    },
    {"name": "scratch", "emptyDir": {}},
    {"name": "memory", "emptyDir": {"medium": "Memory", "sizeLimit": "8Mi"}},
]  # fmt: skip


def start(shop: Any, pod_context: dict[str, Any], context: dict[str, Any]) -> Any:
    """A box in a pod with these security contexts and three volumes."""
    mounts = [{"name": path.rpartition("/")[2], "mountPath": path} for path in MOUNTS]
    spec = {"name": "main", "volumeMounts": mounts, "securityContext": context}
    pod = {"metadata": {"namespace": "shop", "name": "box", "uid": "6"}, "spec": {}}
    pod["spec"] = {"containers": [spec], "volumes": VOLUMES, "securityContext": pod_context}
    shop.world.store.put("pods", pod)
    shop.start_box("sleep", "3600", mounts=MOUNTS, spec=spec)
    shop.run(1)
    return shop


@pytest.fixture
def plain(shop: Any) -> Any:
    return start(shop, {}, {})


@pytest.fixture
def restricted(shop: Any) -> Any:
    """Without root, without capabilities, with a root file system that is read-only."""
    whole = {"runAsUser": 1000, "runAsGroup": 3000, "fsGroup": 2000, "supplementalGroups": [4000]}
    own = {"readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
    return start(shop, whole, own)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("id", (0, "uid=1000 gid=3000 groups=2000,3000,4000\n", "")),
        ("whoami", (1, "", "whoami: unknown uid 1000\n")),
        ("touch /x", (1, "", "touch: /x: Read-only file system\n")),
        ("echo x > /x", (1, "", "sh: can't create /x: Read-only file system\n")),
        ("cat /etc/cfg/app.conf", (0, "a=1\n", "")),
        ("ls -ld /scratch", (0, "drwxrwsrwx    2 root     2000          4096 Nov 21 21:20 /scratch\n", "")),
        ("touch /scratch/a; ls -ln /scratch", (0, "total 0\n-rw-r--r--    1 1000     2000             0 Nov 21 21:20 a\n", "")),
        ("chown 0 /scratch/b", (1, "", "chown: /scratch/b: No such file or directory\n")),
        ("touch /scratch/a; chown 0 /scratch/a", (1, "", "chown: /scratch/a: Operation not permitted\n")),
        ("grep CapEff /proc/self/status", (0, "CapEff:\t0000000000000000\n", "")),
        ("nc -l -p 80", (1, "", "nc: bind: Permission denied\n")),
        ("ping -c 1 10.0.0.1", (1, "", "ping: permission denied (are you root?)\n")),
        ("ps", (0, "PID   USER     COMMAND\n    1 1000     sleep 3600\n    8 1000     ps\n", "")),
        ("echo $HOME", (0, "/\n", "")),
    ],
)  # fmt: skip
def test_a_restricted_user(restricted: Any, script: str, expected: tuple[int, str, str]) -> None:
    assert restricted.shell("box", script) == expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("grep CapEff /proc/self/status", (0, "CapEff:\t00000000a80425fb\n", "")),
        ("ls /etc/cfg", (0, "app.conf\ndeep\n", "")),
        ("ls -lL /etc/cfg/app.conf", (0, "-r--------    1 root     root             4 Nov 21 21:20 /etc/cfg/app.conf\n", "")),
        ("ls -l /etc/cfg/deep/", (0, "total 4\n-r-xr-xr-x    1 root     root             4 Nov 21 21:20 level\n", "")),
        ("readlink /etc/cfg/app.conf", (0, "..data/app.conf\n", "")),
        ("ls -ld /memory", (0, "drwxrwxrwt    2 root     root            40 Nov 21 21:20 /memory\n", "")),
        ("df -h /memory", (0, "Filesystem                Size      Used Available Use% Mounted on\ntmpfs                     8.0M         0      8.0M   0% /memory\n", "")),
        (
            "dd if=/dev/zero of=/memory/f bs=1M count=20; ls -l /memory",
            (
                0,
                "total 8192\n-rw-r--r--    1 root     root       8388608 Nov 21 21:20 f\n",
                "dd: error writing '/memory/f': No space left on device\n9+0 records in\n8+0 records out\n",
            ),
        ),
        ("echo x > /dev/full", (1, "", "sh: write error: No space left on device\n")),
        ("mount -t tmpfs t /mnt", (255, "", "mount: mounting t on /mnt failed: No such file or directory\n")),
        ("mount | grep /etc/cfg", (0, "/dev/vda on /etc/cfg type ext4 (ro,relatime,discard,resv_strict,resuid=65534,resgid=65534)\n", "")),
        ("rm -r /scratch", (1, "", "rm: can't remove '/scratch': Device or resource busy\n")),
        ("mkdir /scratch/a/b", (1, "", "mkdir: can't create directory '/scratch/a/b': No such file or directory\n")),
        ("ln -s /etc/cfg/app.conf /tmp/l; cat /tmp/l; ls -l /tmp/l", (0, "a=1\nlrwxrwxrwx    1 root     root            17 Nov 21 21:20 /tmp/l -> /etc/cfg/app.conf\n", "")),
        ("ln -s l /tmp/l; cat /tmp/l", (1, "", "cat: can't open '/tmp/l': Too many levels of symbolic links\n")),
        ("cat /sys/fs/cgroup/memory/memory.limit_in_bytes", (0, "9223372036854771712\n", "")),
        ("cat /proc/1/cmdline | tr '\\0' ' '", (0, "sleep 3600 ", "")),
        ("chmod u=rwx,go= /scratch; ls -ld /scratch | cut -c1-10", (0, "drwx------\n", "")),
        ("touch -d now /tmp/a; stat -c '%a %U %s %F' /tmp/a", (0, "644 root 0 regular empty file\n", "")),
        ("ls -ld /etc/passwd /etc", (0, "drwxr-xr-x    1 root     root          4096 Nov 21 21:20 /etc\n-rw-r--r--    1 root     root           340 Nov 14  2023 /etc/passwd\n", "")),
    ],
)  # fmt: skip
def test_root_in_a_container(plain: Any, script: str, expected: tuple[int, str, str]) -> None:
    assert plain.shell("box", script) == expected


def test_what_is_written_to_a_volume_stays_where_it_belongs(plain: Any) -> None:
    plain.shell("box", "echo kept > /scratch/f; echo lost > /tmp/f")
    twin = plain.fork()
    twin.shell("box", "echo other > /scratch/f")
    plain.start_box("sleep", "3600", mounts=MOUNTS, attempt=1)
    assert plain.shell("box", "cat /scratch/f /tmp/f") == (
        1,
        "kept\n",
        "cat: can't open '/tmp/f': No such file or directory\n",
    )


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (("/etc",), 'exec: "/etc": is a directory'),
        (("/etc/passwd",), 'exec: "/etc/passwd": permission denied'),
        (("/no",), 'exec: "/no": stat /no: no such file or directory'),
    ],
)
def test_what_cannot_be_executed(plain: Any, command: tuple[str, ...], reason: str) -> None:
    result = plain.runtime.exec(plain.world, plain.ref("box"), command, "")
    head = "OCI runtime exec failed: exec failed: unable to start container process: "
    assert result.error == f"{head}{reason}: unknown"
