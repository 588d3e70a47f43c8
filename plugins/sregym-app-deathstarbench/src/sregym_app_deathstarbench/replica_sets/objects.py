"""A database of one pod as a replica set of several: its objects, notes and addresses."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import yaml
from sregym_apps.copying import copied

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_apps.manifests import KubeObject
    from sregym_apps.notes import ComponentNotes
    from sregym_core.model import Account

PORT = 27017
_DATA = "/data/db"
# What the image makes accounts of when it starts on an empty folder: members of a set copy them from each other.
_AT_FIRST_START = re.compile(r"MONGO_(INITDB|APP)_")
_SCRIPTS = "/docker-entrypoint-initdb.d"
_LISTENS = {"tcpSocket": {"port": PORT}, "initialDelaySeconds": 1, "periodSeconds": 5}


class ReplicaSet:
    """What becomes of the objects of one database.

    Args:
        store: Name of its Deployment and of its Service.
        name: Of the set.
        members: How many it has.
    """

    def __init__(self, store: str, name: str, members: int) -> None:
        self.store, self.name = store, name
        self.hosts = [f"{store}-{number}.{store}" for number in range(members)]

    def objects(self, given: Sequence[KubeObject], notes: ComponentNotes) -> list[KubeObject]:
        """All objects of the application, those of this database as a replica set.

        Args:
            given: All objects of the application.
            notes: What is known of the database: whose accounts it keeps.
        """
        workload = next(obj for obj in given if self._is(obj, "Deployment"))
        claims = {
            volume["persistentVolumeClaim"]["claimName"]
            for volume in workload["spec"]["template"]["spec"].get("volumes", ())
            if "persistentVolumeClaim" in volume
        }
        scripts = {
            volume["configMap"]["name"]
            for volume in _volumes_at(workload, _SCRIPTS)
            if "configMap" in volume
        }
        made: list[KubeObject] = []
        for obj in given:
            kind, name = obj["kind"], obj["metadata"]["name"]
            if obj is workload:
                made += [self._stateful(workload), self._initiating(workload, notes.accounts)]
            elif self._is(obj, "Service"):
                made.append(_headless(obj))
            elif (kind, name) not in {
                *(("PersistentVolumeClaim", claim) for claim in claims),
                *(("ConfigMap", script) for script in scripts),
            }:
                made.append(self._with_hosts(obj) if kind == "ConfigMap" else obj)
        return made

    def notes(self, given: ComponentNotes) -> ComponentNotes:
        """What is known of the database, as of a replica set."""
        return given.model_copy(
            update={"replica_set": self.name, "sessions": (*given.sessions, *self._sessions(given))}
        )

    def _is(self, obj: KubeObject, kind: str) -> bool:
        return bool(obj["kind"] == kind and obj["metadata"]["name"] == self.store)

    def _stateful(self, deployment: KubeObject) -> KubeObject:
        made: KubeObject = copied(deployment)
        spec = made["spec"]
        template = spec["template"]
        pod = template["spec"]
        container = pod["containers"][0]
        gone = {volume["name"] for volume in _volumes_at(deployment, _SCRIPTS)}
        gone |= {volume["name"] for volume in _volumes_at(deployment, _DATA)}
        args = [word for word in container.get("args", ()) if word != "--auth"]
        container["args"] = [*args, "--replSet", self.name]
        container["env"] = [
            entry
            for entry in container.get("env", ())
            if _AT_FIRST_START.match(entry["name"]) is None
        ]
        container.setdefault("readinessProbe", copied(_LISTENS))
        mounts = [mount for mount in container.get("volumeMounts", ()) if mount["name"] not in gone]
        container["volumeMounts"] = [*mounts, {"name": "data", "mountPath": _DATA}]
        pod["volumes"] = [each for each in pod.get("volumes", ()) if each["name"] not in gone]
        pod["topologySpreadConstraints"] = [
            {
                "maxSkew": 1,
                "topologyKey": "kubernetes.io/hostname",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": copied(spec["selector"]),
            }
        ]
        for holder, field in ((container, "env"), (pod, "volumes")):
            if not holder[field]:
                del holder[field]
        made["kind"] = "StatefulSet"
        made["spec"] = {
            "serviceName": self.store,
            "replicas": len(self.hosts),
            "podManagementPolicy": "Parallel",
            "selector": spec["selector"],
            "template": template,
            "volumeClaimTemplates": [
                {
                    "metadata": {"name": "data"},
                    "spec": {
                        "accessModes": ["ReadWriteOnce"],
                        "resources": {"requests": {"storage": "1Gi"}},
                    },
                }
            ],
        }
        return made

    def _initiating(self, deployment: KubeObject, accounts: Sequence[Account]) -> KubeObject:
        """The Job that makes a set of the members, and the accounts in it."""
        text = files(__package__).joinpath("initiate.yaml").read_text(encoding="utf-8")
        made: KubeObject = yaml.safe_load(text)
        name = f"{self.store}-initiate"
        labels = dict.fromkeys(deployment["metadata"]["labels"], name)
        namespace = deployment["metadata"]["namespace"]
        made["metadata"] = {"name": name, "namespace": namespace, "labels": labels}
        made["spec"]["template"]["metadata"] = {"labels": dict(labels)}
        container = made["spec"]["template"]["spec"]["containers"][0]
        server = deployment["spec"]["template"]["spec"]["containers"][0]
        container["image"] = server["image"]
        members = [
            {"_id": number, "host": f"{host}:{PORT}"} for number, host in enumerate(self.hosts)
        ]
        values = {
            "set": self.name,
            "members": json.dumps(members),
            "first": self.hosts[0],
            "hosts": ",".join(self.hosts),
            "accounts": "\n".join(_creating(account) for account in accounts),
        }
        for entry in container["env"]:
            entry["value"] = _filled(entry["value"], values)
        names = [each for each in server.get("env", ()) if _AT_FIRST_START.match(each["name"])]
        # Before what refers to them.
        container["env"] = [*copied(names), *container["env"]]
        container["command"][-1] = _filled(container["command"][-1], values)
        if not accounts:
            container["env"] = [each for each in container["env"] if each["name"] != "ACCOUNTS"]
            lines = container["command"][-1].splitlines(keepends=True)
            container["command"][-1] = "".join(line for line in lines if "$ACCOUNTS" not in line)
        return made

    def _with_hosts(self, obj: KubeObject) -> KubeObject:
        """A ConfigMap that names all members where it named the database."""
        made: KubeObject = copied(obj)
        for key, text in made.get("data", {}).items():
            ported = ",".join(f"{host}:{PORT}" for host in self.hosts)
            text = text.replace(f'"{self.store}:{PORT}"', f'"{ported}"')
            # What is followed by a colon is a name of settings.
            text = re.sub(rf'"{self.store}"(?!\s*:)', f'"{",".join(self.hosts)}"', text)
            made["data"][key] = text
        return made

    def _sessions(self, notes: ComponentNotes) -> list[tuple[str, ...]]:
        shell = ["mongo", "admin", "--quiet"]
        for account in notes.accounts[:1]:
            shell += ["-u", account.admin_user, "-p", account.admin_password]
            shell += ["--authenticationDatabase", account.auth_database]
        return [(*shell, "--eval", looked_at) for looked_at in _LOOKED_AT]


_LOOKED_AT = (
    "rs.status().members.forEach(m => print(m.name, m.stateStr))",
    "rs.printSecondaryReplicationInfo()",
    "printjson(rs.conf())",
    "printjson(db.currentOp())",
)


def _creating(account: Account) -> str:
    """Makes an account and the one that may manage it, unless they are there; Kubernetes fills in names."""
    own = {
        "user": "$(MONGO_APP_USERNAME)",
        "pwd": "$(MONGO_APP_PASSWORD)",
        "roles": [{"role": account.role, "db": account.database}],
    }
    root = {
        "user": "$(MONGO_INITDB_ROOT_USERNAME)",
        "pwd": "$(MONGO_INITDB_ROOT_PASSWORD)",
        "roles": [{"role": "root", "db": "admin"}],
    }
    return "\n".join(
        f"if (!db.getUser({json.dumps(user['user'])})) db.createUser({json.dumps(user)});"
        for user in (root, own)
    )


def _volumes_at(workload: KubeObject, path: str) -> list[dict[str, Any]]:
    """The volumes that the first container of a workload sees at a path."""
    pod = workload["spec"]["template"]["spec"]
    mounts = pod["containers"][0].get("volumeMounts", ())
    names = {mount["name"] for mount in mounts if mount["mountPath"] == path}
    return [volume for volume in pod.get("volumes", ()) if volume["name"] in names]


def _headless(service: KubeObject) -> KubeObject:
    """A Service whose name, with that of a member before it, leads to that member, ready or not."""
    made: KubeObject = copied(service)
    made["spec"] = {"clusterIP": "None", "publishNotReadyAddresses": True, **made["spec"]}
    return made


def _filled(text: str, values: dict[str, str]) -> str:
    """A text with names in braces replaced; other braces stay."""
    return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), text)
