"""Talks to the API for a machine that is a node: what it is to run, and how that goes."""

from __future__ import annotations

import json
import shlex
import threading
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .front import Api
from .worker import POD_NETWORK, Worker

_PERIOD_S, _LEASE_S = 1.0, 5.0
_WRITE = "cat > /run/pods/wanted.part && mv /run/pods/wanted.part /run/pods/wanted.json; cat /run/pods/seen.json 2>/dev/null || echo {}"
_HOSTS = "cat > /etc/hosts"


class Kubelet:
    """That of one node; leaving the context ends it.

    Args:
        api: Of the cluster.
        worker: The machine.
        node: Its name there.
        zone: Of the node, as pods ask for it.
    """

    def __init__(self, api: Api, worker: Worker, node: str, zone: str) -> None:
        self._api, self._worker, self.node, self._zone = api, worker, node, zone
        self._console = threading.Lock()
        self._ended = threading.Event()
        self._addresses: dict[str, str] = {}
        self._told: dict[str, Any] = {}
        self._hosts = ""
        self.failed: BaseException | None = None
        self._threads = [
            threading.Thread(target=self._go_on, args=(step, every), daemon=True)
            for step, every in ((self.step, _PERIOD_S), (self.beat, _LEASE_S))
        ]

    def __enter__(self) -> Kubelet:
        self._register()
        self.said(
            "sh",
            "-c",
            "mkdir -p /run/pods; /usr/bin/python3 -I /media/pods.py > /tmp/pods.log 2>&1 < /dev/null &",
        )
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def said(self, *argv: str, stdin: str = "") -> str:
        """What a command on the node printed."""
        with self._console:
            return self._worker.said(*argv, stdin=stdin)

    def log(self, namespace: str, pod: str, container: str, previous: bool) -> str:
        """What a container wrote."""
        folder = f"/var/log/pods/{namespace}_{pod}_*/{container or '*'}"
        which = "tail -n 2" if previous else "tail -n 1"
        last = " | head -n 1" if previous else ""
        return self.said(
            "sh",
            "-c",
            f'f=$(ls -tr {folder}/*.log 2>/dev/null | {which}{last}); [ -z "$f" ] || tail -c 60000 $f',
        )

    def enter(self, ssh: Path, ident: str, argv: Sequence[str]) -> tuple[str, ...]:
        """Words of a program of this machine that runs a command in a container of this node.

        Args:
            ssh: Configuration with which machines are reached.
            ident: Of the container.
            argv: The command.
        """
        once = f"exec-{uuid.uuid4().hex[:12]}"
        words = ("ctr", "-n", "k8s.io", "tasks", "exec", "--exec-id", once, ident, *argv)
        head = ("ssh", "-F", str(ssh), "-l", "root", self._worker.address, "--")
        return (*head, shlex.join(words))

    def step(self) -> None:
        """Look what is wanted, and say what is."""
        pods = [
            pod
            for pod in self._api.get(f"/api/v1/pods?fieldSelector=spec.nodeName={self.node}")[
                "items"
            ]
            if not _is_of_all_nodes(pod)
        ]
        wanted = {
            pod["metadata"]["uid"]: self._wanted(pod)
            for pod in pods
            if "deletionTimestamp" not in pod["metadata"]
            and pod["status"].get("phase") not in ("Failed", "Succeeded")
        }
        grace = {
            pod["metadata"]["uid"]: float(pod["metadata"].get("deletionGracePeriodSeconds") or 0)
            for pod in pods
            if "deletionTimestamp" in pod["metadata"]
        }
        seen = json.loads(
            self.said("sh", "-c", _WRITE, stdin=json.dumps({"pods": wanted, "grace": grace}))
        )
        for pod in pods:
            uid = pod["metadata"]["uid"]
            if uid in grace and uid not in seen:
                self._api.ask(
                    "DELETE", _path(pod), {"gracePeriodSeconds": 0, "preconditions": {"uid": uid}}
                )
            elif uid in seen:
                self._tell(pod, seen[uid])
        self._resolve()

    def _register(self) -> None:
        """As a kubelet does that comes up for the first time."""
        # Without the label of its system: DaemonSets that ask for it are none that can run here.
        labels = {
            "kubernetes.io/hostname": self.node,
            "topology.kubernetes.io/zone": self._zone,
        }
        node = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": self.node, "labels": labels},
            "spec": {},
        }
        self._api.ask("POST", "/api/v1/nodes", node)
        room = {"cpu": "2", "memory": "2Gi", "pods": "40", "ephemeral-storage": "1Gi"}
        facts = (
            "kernelVersion",
            "osImage",
            "containerRuntimeVersion",
            "kubeletVersion",
            "architecture",
            "operatingSystem",
            "bootID",
            "machineID",
            "systemUUID",
            "kubeProxyVersion",
        )
        info = dict.fromkeys(facts, "") | {
            "kernelVersion": self.said("uname", "-r").strip(),
            "containerRuntimeVersion": "containerd://1.6.20",
            "kubeletVersion": "v1.33.0",
            "operatingSystem": "linux",
            "architecture": "amd64",
            "osImage": "Debian GNU/Linux 12 (bookworm)",
        }
        now = _stamp(datetime.now(UTC).timestamp())
        conditions = [
            {
                "type": name,
                "status": status,
                "reason": reason,
                "message": "",
                "lastTransitionTime": now,
                "lastHeartbeatTime": now,
            }
            for name, status, reason in (
                ("Ready", "True", "KubeletReady"),
                ("MemoryPressure", "False", "KubeletHasSufficientMemory"),
                ("DiskPressure", "False", "KubeletHasNoDiskPressure"),
                ("PIDPressure", "False", "KubeletHasSufficientPID"),
            )
        ]
        status = {
            "capacity": room,
            "allocatable": room,
            "conditions": conditions,
            "nodeInfo": info,
            "addresses": [
                {"type": "InternalIP", "address": self._worker.address},
                {"type": "Hostname", "address": self.node},
            ],
        }
        self._api.ask("PATCH", f"/api/v1/nodes/{self.node}/status", {"status": status})

    def beat(self) -> None:
        """Say that the node is there."""
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
        lease = f"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/{self.node}"
        spec = {
            "holderIdentity": self.node,
            "leaseDurationSeconds": 40,
            "renewTime": f"{now}.000000Z",
        }
        if self._api.ask("PATCH", lease, {"spec": spec}) is None:
            made = {"metadata": {"name": self.node, "namespace": "kube-node-lease"}, "spec": spec}
            self._api.ask(
                "POST",
                lease.rpartition("/")[0],
                {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", **made},
            )

    def _go_on(self, step: Any, every_s: float) -> None:
        while not self._ended.wait(every_s):
            try:
                step()
            except BaseException as error:
                if not self._ended.is_set():
                    self.failed = error
                    raise

    def _wanted(self, pod: dict[str, Any]) -> dict[str, Any]:
        spec, uid = pod["spec"], pod["metadata"]["uid"]
        address = self._addresses.setdefault(uid, self._worker.pod_address(len(self._addresses)))
        volumes = {volume["name"]: self._source(pod, volume) for volume in spec.get("volumes", ())}
        return {
            **{
                "uid": uid,
                "name": pod["metadata"]["name"],
                "namespace": pod["metadata"]["namespace"],
            },
            **{
                "ip": address,
                "restart": spec.get("restartPolicy", "Always"),
                "host_pid": bool(spec.get("hostPID")),
            },
            "containers": [_container(one, address, volumes) for one in spec["containers"]],
        }

    def _source(self, pod: dict[str, Any], volume: dict[str, Any]) -> str:
        claim = volume.get("persistentVolumeClaim")
        if claim:
            return f"/var/lib/kubelet/volumes/{pod['metadata']['namespace']}-{claim['claimName']}"
        if "hostPath" in volume:
            return str(volume["hostPath"]["path"])
        return f"/var/lib/kubelet/pods/{pod['metadata']['uid']}/volumes/{volume['name']}"

    def _tell(self, pod: dict[str, Any], seen: dict[str, Any]) -> None:
        status = _status(pod, seen, self._addresses.get(pod["metadata"]["uid"], ""))
        if self._told.get(pod["metadata"]["uid"]) != status:
            self._told[pod["metadata"]["uid"]] = status
            self._api.ask("PATCH", _path(pod) + "/status", {"status": status})

    def _resolve(self) -> None:
        """Names of Services lead to the addresses that are ready."""
        lines = ["127.0.0.1 localhost", f"127.0.1.1 {self.node}"]
        for one in self._api.get("/api/v1/endpoints")["items"]:
            place, name = one["metadata"]["namespace"], one["metadata"]["name"]
            for subset in one.get("subsets") or ():
                for address in (subset.get("addresses") or ())[:1]:
                    if address["ip"].startswith(POD_NETWORK):
                        lines.append(
                            f"{address['ip']} {name} {name}.{place} {name}.{place}.svc.cluster.local"
                        )
        text = "\n".join(lines) + "\n"
        if text != self._hosts:
            self._hosts = text
            self.said("sh", "-c", _HOSTS, stdin=text)


def _is_of_all_nodes(pod: dict[str, Any]) -> bool:
    """What runs on each node of a cluster is none that can run here."""
    owners = pod["metadata"].get("ownerReferences") or ()
    return any(owner["kind"] == "DaemonSet" for owner in owners)


def _path(pod: dict[str, Any]) -> str:
    return f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"


def _container(one: dict[str, Any], address: str, volumes: dict[str, str]) -> dict[str, Any]:
    env = {
        entry["name"]: entry.get("value", address if "valueFrom" in entry else "")
        for entry in one.get("env", ())
    }
    argv = [*one.get("command", ()), *one.get("args", ())]
    for name, value in env.items():
        argv = [word.replace(f"$({name})", value) for word in argv]
    mounts = [
        (volumes[entry["name"]], entry["mountPath"])
        for entry in one.get("volumeMounts", ())
        if not entry["mountPath"].startswith("/var/run/secrets")
    ]
    probe = (one.get("readinessProbe") or {}).get("tcpSocket") or {}
    return {
        **{"name": one["name"], "image": one["image"], "argv": argv, "env": env, "mounts": mounts},
        **{
            "port": probe.get("port"),
            "privileged": bool((one.get("securityContext") or {}).get("privileged")),
        },
    }


def _stamp(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _state(one: dict[str, Any]) -> dict[str, Any]:
    if one["state"] == "running":
        return {"running": {"startedAt": _stamp(one["started"])}}
    if one["state"] == "exited":
        return {"terminated": _ended(one)}
    reason = "CreateContainerError" if one["why"] else "ContainerCreating"
    return {"waiting": {"reason": reason, "message": one["why"]}}


def _ended(one: dict[str, Any]) -> dict[str, Any]:
    return {
        **{"exitCode": one["code"], "reason": "Error" if one["code"] else "Completed"},
        **{"startedAt": _stamp(one["started"]), "finishedAt": _stamp(one["finished"])},
        "containerID": f"containerd://{one['ident']}",
    }


def _status(pod: dict[str, Any], seen: dict[str, Any], address: str) -> dict[str, Any]:
    containers = []
    for spec in pod["spec"]["containers"]:
        one = seen[spec["name"]]
        state = _state(one)
        if (
            one["state"] == "exited"
            and pod["spec"].get("restartPolicy", "Always") == "Always"
            and one["restarts"]
        ):
            state = {
                "waiting": {
                    "reason": "CrashLoopBackOff",
                    "message": f"back-off restarting failed container={spec['name']}",
                }
            }
        containers.append(
            {
                **{
                    "name": spec["name"],
                    "image": spec["image"],
                    "imageID": spec["image"],
                    "state": state,
                },
                **{
                    "ready": one["ready"],
                    "started": one["state"] == "running",
                    "restartCount": one["restarts"],
                },
                **{"containerID": f"containerd://{one['ident']}" if one["ident"] else ""},
                **({"lastState": {"terminated": _ended(one["last"])}} if one["last"] else {}),
            }
        )
    ready = all(one["ready"] for one in containers)
    phase = (
        "Running"
        if any(one["state"].get("running") or one["restartCount"] for one in containers)
        else "Pending"
    )
    if pod["spec"].get("restartPolicy") == "Never" and all(
        "terminated" in one["state"] for one in containers
    ):
        bad = any(one["state"]["terminated"]["exitCode"] for one in containers)
        phase = "Failed" if bad else "Succeeded"
    now = _stamp(max(one["started"] or one["finished"] for one in seen.values()))
    told = {"PodScheduled": True, "Initialized": True, "ContainersReady": ready, "Ready": ready}
    return {
        **{
            "phase": phase,
            "podIP": address,
            "podIPs": [{"ip": address}],
            "hostIP": pod["status"].get("hostIP", ""),
            "startTime": pod["metadata"]["creationTimestamp"],
        },
        "conditions": [
            {
                "type": name,
                "status": str(holds),
                "lastTransitionTime": now
                if name.endswith("eady")
                else pod["metadata"]["creationTimestamp"],
            }
            for name, holds in told.items()
        ],
        "containerStatuses": containers,
    }
