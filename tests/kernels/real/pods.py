"""Runs on a node in the place of a kubelet: pods as they are wanted, by containerd; as little of one as will do.

    python3 pods.py          # until its end
    /run/pods/wanted.json    # pods that are wanted, written at once by whoever talks to the API
    /run/pods/seen.json      # how their containers are

Containers share the network of the node; a pod's address is one of the loopback's.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

HERE = Path("/run/pods")
LOGS, LINKS = Path("/var/log/pods"), Path("/var/log/containers")
GROUPS = Path("/sys/fs/cgroup/kubepods")
CTR = ("ctr", "-n", "k8s.io")
MOST_S = 20.0


def pause(seconds):
    """Let others go on: what is looked at here is told by nobody."""
    threading.Event().wait(seconds)


class Container:
    """One of a pod, started again when it ends."""

    def __init__(self, pod, spec):
        self.pod, self.spec, self.restarts = pod, spec, 0
        self.state, self.ident, self.code = "waiting", "", None
        self.started = self.finished = 0.0
        self.last, self.ready, self.why = None, False, ""
        self._left = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def leave(self, grace):
        """End it for good."""
        self._left = True
        end = time.monotonic() + grace
        self._signal(signal.SIGTERM)
        while self.running() and time.monotonic() < end:
            pause(0.1)
        self._signal(signal.SIGKILL)
        self._thread.join(60)

    def running(self):
        return bool(self._pids())

    def seen(self):
        names = (
            "state",
            "ident",
            "code",
            "started",
            "finished",
            "restarts",
            "last",
            "ready",
            "why",
        )
        return {name: getattr(self, name) for name in names}

    def look(self):
        """Whether it answers where its probe asks."""
        port = self.spec.get("port")
        if self.state != "running" or not port:
            self.ready = self.state == "running"
            return
        try:
            with socket.create_connection((self.pod["ip"], port), 1.0):
                self.ready = True
        except OSError:
            self.ready = False

    def _run(self):
        wait = 1.0
        while not self._left:
            begun = time.monotonic()
            self._once()
            if self.pod["restart"] == "Never" or (
                self.pod["restart"] == "OnFailure" and not self.code
            ):
                return
            wait = 1.0 if time.monotonic() - begun > 60 else min(MOST_S, wait * 2)
            end = time.monotonic() + wait
            while not self._left and time.monotonic() < end:
                pause(0.1)
            self.restarts += 1

    def _once(self):
        self.ident = os.urandom(16).hex()
        log = (
            LOGS
            / f"{self.pod['namespace']}_{self.pod['name']}_{self.pod['uid']}"
            / self.spec["name"]
            / f"{self.restarts}.log"
        )
        log.parent.mkdir(parents=True, exist_ok=True)
        link = (
            LINKS
            / f"{self.pod['name']}_{self.pod['namespace']}_{self.spec['name']}-{self.ident}.log"
        )
        link.symlink_to(log)
        done = subprocess.run([*CTR, *self._words(log)], capture_output=True, text=True)
        if done.returncode:
            self.state, self.why, self.code = "waiting", done.stderr.strip()[-300:], 128
        else:
            self.state, self.started, self.why = "running", time.time(), ""
            while self.running():
                pause(0.3)
            self.ready, self.finished = False, time.time()
            self.code = subprocess.run(
                [*CTR, "tasks", "delete", self.ident], capture_output=True
            ).returncode
            self.state = "exited"
            self.last = {
                "code": self.code,
                "started": self.started,
                "finished": self.finished,
                "ident": self.ident,
            }
        subprocess.run([*CTR, "containers", "delete", self.ident], capture_output=True)
        link.unlink()

    def _words(self, log):
        spec = self.spec
        words = ["run", "-d", "--net-host", "--log-uri", f"file://{log}"]
        words += ["--cgroup", f"/kubepods/pod{self.pod['uid']}/{self.ident}"]
        for name, value in spec["env"].items():
            words += ["--env", f"{name}={value}"]
        for source, target in spec["mounts"]:
            Path(source).mkdir(parents=True, exist_ok=True)
            words += ["--mount", f"type=bind,src={source},dst={target},options=rbind:rw"]
        words += ["--privileged"] if spec["privileged"] else []
        words += ["--with-ns", "pid:/proc/1/ns/pid"] if self.pod["host_pid"] else []
        return [*words, spec["image"], self.ident, *spec["argv"]]

    def _pids(self):
        try:
            return (
                (GROUPS / f"pod{self.pod['uid']}" / self.ident / "cgroup.procs").read_text().split()
            )
        except OSError:
            return []

    def _signal(self, number):
        for pid in self._pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), number)


class Pod:
    """Its containers."""

    def __init__(self, wanted):
        self.wanted = wanted
        subprocess.run(
            ["ip", "addr", "add", f"{wanted['ip']}/32", "dev", "lo"], capture_output=True
        )
        self.containers = {spec["name"]: Container(wanted, spec) for spec in wanted["containers"]}
        self.leaving, self.gone = False, False

    def leave(self, grace):
        if not self.leaving:
            self.leaving = True
            threading.Thread(target=self._leave, args=(grace,), daemon=True).start()

    def _leave(self, grace):
        for container in self.containers.values():
            container.leave(grace)
        subprocess.run(
            ["ip", "addr", "del", f"{self.wanted['ip']}/32", "dev", "lo"], capture_output=True
        )
        with contextlib.suppress(OSError):
            (GROUPS / f"pod{self.wanted['uid']}").rmdir()
        self.gone = True


def main():
    for folder in (HERE, LOGS, LINKS, GROUPS):
        folder.mkdir(parents=True, exist_ok=True)
    pods = {}
    while True:
        try:
            wanted = json.loads((HERE / "wanted.json").read_text())
        except (OSError, ValueError):
            wanted = {"pods": {}, "grace": {}}
        for uid, one in wanted["pods"].items():
            if uid not in pods:
                pods[uid] = Pod(one)
        for uid, pod in pods.items():
            if uid not in wanted["pods"]:
                pod.leave(wanted["grace"].get(uid, 0.0))
            for container in pod.containers.values():
                container.look()
        pods = {uid: pod for uid, pod in pods.items() if not pod.gone}
        seen = {
            uid: {name: one.seen() for name, one in pod.containers.items()}
            for uid, pod in pods.items()
        }
        part = HERE / "seen.part"
        part.write_text(json.dumps(seen))
        part.replace(HERE / "seen.json")
        pause(0.5)


if __name__ == "__main__":
    main()
