"""Which official distribution brings which component: for hints on what to install."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

PACKAGES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "cluster": {
            "embedded": "sregym-cluster-embedded",
            "kubeconfig": "sregym-cluster-kubernetes",
        },
        "application": {
            "fleetcast": "sregym-app-fleetcast",
            "flight-ticket": "sregym-app-flight-ticket",
            "hotel-reservation": "sregym-app-deathstarbench",
            "synthetic": "sregym-app-synthetic",
            "blueprint-hotel-reservation": "sregym-app-blueprint",
            "train-ticket": "sregym-app-train-ticket",
        },
        "fault": {
            "service-target-port": "sregym-injector-kubernetes",
            "service-selector": "sregym-injector-kubernetes",
            "service-missing": "sregym-injector-kubernetes",
            "configmap-missing": "sregym-injector-kubernetes",
            "configmap-drift": "sregym-injector-kubernetes",
            "resource-limit": "sregym-injector-kubernetes",
            "replicas-zero": "sregym-injector-kubernetes",
            "image-wrong": "sregym-injector-kubernetes",
            "cr-misoperation": "sregym-injector-operator",
            "retry-policy": "sregym-injector-code",
            "timeouts-misordered": "sregym-injector-code",
            "limits-wrong": "sregym-injector-code",
            "pool-too-small": "sregym-injector-code",
            "gc-pressure": "sregym-injector-code",
            "hot-path": "sregym-injector-code",
            "spike": "sregym-injector-load",
            "mix-shift": "sregym-injector-load",
            "flood": "sregym-injector-load",
            "lock-held": "sregym-injector-datastore",
            "mongodb-role-revoked": "sregym-injector-datastore",
            "mongodb-user-dropped": "sregym-injector-datastore",
        },
        "noise source": {"pod-restart": "sregym-noise-kubernetes"},
        "oracle": {
            "state": "sregym-oracle-state",
            "replay": "sregym-oracle-state",
            "checklist": "sregym-oracle-checklist",
            "judge": "sregym-oracle-judge",
        },
        "agent": {
            "expert": "sregym-agent-baselines",
            "noop": "sregym-agent-baselines",
            "playbook": "sregym-agent-playbook",
            "random": "sregym-agent-baselines",
            "restart-loop": "sregym-agent-baselines",
            "shortcuts": "sregym-agent-shortcuts",
            "http": "sregym-agent-http",
            "react": "sregym-agent-react",
            "shell": "sregym-agent-shell",
            "human": "sregym-agent-shell",
        },
        "server kind": {
            "couchdb": "sregym-server-couchdb",
            "etcd": "sregym-server-etcd",
            "kafka": "sregym-server-kafka",
            "keyvalue": "sregym-server-redis",
            "memcached": "sregym-server-memcached",
            "mongodb": "sregym-server-mongodb",
            "mysql": "sregym-server-sql",
            "postgres": "sregym-server-sql",
            "nginx": "sregym-server-nginx",
            "pd": "sregym-server-tidb",
            "rabbitmq": "sregym-server-rabbitmq",
            "redis": "sregym-server-redis",
            "registry": "sregym-server-consul",
            "tidb": "sregym-server-tidb",
            "tikv": "sregym-server-tidb",
            "zookeeper": "sregym-server-zookeeper",
        },
        "protocol": {
            "amqp": "sregym-server-rabbitmq",
            "couchdb": "sregym-server-couchdb",
            "etcd": "sregym-server-etcd",
            "kafka": "sregym-server-kafka",
            "keyvalue": "sregym-server-redis",
            "memcached": "sregym-server-memcached",
            "mongodb": "sregym-server-mongodb",
            "mysql": "sregym-server-sql",
            "postgres": "sregym-server-sql",
            "registry": "sregym-server-consul",
            "zookeeper": "sregym-server-zookeeper",
        },
        "reporter": {"console": "sregym-reporter-console", "html": "sregym-reporter-html"},
        "reward": {
            "outcome": "sregym-reward-standard",
            "stages": "sregym-reward-standard",
            "shaped": "sregym-reward-standard",
        },
        "command": {
            "replay": "sregym-replay",
            "export-dataset": "sregym-dataset",
            "difficulty": "sregym-agent-shortcuts",
            "new": "sregym-dev",
            "mcp": "sregym-agent-shell",
        },
    }
)
