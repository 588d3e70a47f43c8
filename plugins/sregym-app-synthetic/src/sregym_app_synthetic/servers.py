"""Databases, caches and brokers, as their public images are usually deployed."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sregym_app_synthetic.graph import Role
from sregym_app_synthetic.writing import secret_value, setting_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_app_synthetic.graph import Part
    from sregym_app_synthetic.writing import Context

# Engine -> port, protocol of its clients, image, folder of its data.
ENGINES: Mapping[str, tuple[int, str, str, str]] = MappingProxyType(
    {
        "mongodb": (27017, "mongodb", "mongo:7.0", "/data/db"),
        "postgres": (5432, "postgres", "postgres:16", "/var/lib/postgresql/data"),
        "mysql": (3306, "mysql", "mysql:8.4", "/var/lib/mysql"),
        "redis": (6379, "keyvalue", "redis:7.2", ""),
        "memcached": (11211, "memcached", "memcached:1.6", ""),
        "rabbitmq": (5672, "amqp", "", "/var/lib/rabbitmq"),
        "kafka": (9092, "kafka", "", "/var/lib/kafka/data"),
    }
)
USER = "app"
# Entries of an image of the platform's own, with its queues or topics, from the public one.
_BROKERS: Mapping[str, dict[str, Any]] = MappingProxyType(
    {
        "rabbitmq": {
            "tags": ["3.13.7"],
            "size_mib": 112,
            "entrypoint": ["docker-entrypoint.sh"],
            "cmd": ["rabbitmq-server"],
            "tools": ["debian", "rabbitmq"],
            "binaries": ("/usr/local/bin/docker-entrypoint.sh", "/opt/rabbitmq/sbin/rabbitmq-server"),
        },
        "kafka": {
            "tags": ["3.9.1"],
            "size_mib": 168,
            "cmd": ["/etc/kafka/docker/run"],
            "env": {"PATH": "/opt/kafka/bin:/usr/local/bin:/usr/bin:/bin"},
            "tools": ["alpine", "kafka"],
            "binaries": ("/etc/kafka/docker/run",),
        },
    }
)  # fmt: skip


def address_of(part: Part) -> str:
    """`host:port` under which programs reach a server."""
    return f"{part.name}:{ENGINES[part.engine][0]}"


def credentials_of(part: Part) -> str:
    """Name of the Secret with a server's accounts; empty where it has none."""
    return f"{part.name}-credentials" if part.engine not in ("redis", "memcached", "kafka") else ""


def table_of(part: Part) -> str:
    """The table or collection in which a database keeps what its program writes."""
    return setting_name(part.name).removesuffix("_db").rpartition("_")[2]


def write_server(context: Context, part: Part) -> None:
    """Write a server: its objects, and its program where the public image does not bring it."""
    port, _, image, data = ENGINES[part.engine]
    container: dict[str, Any] = {
        "name": part.engine,
        "image": image or _broker_image(context, part),
        "ports": [{"name": part.engine, "containerPort": port}],
        "readinessProbe": {"tcpSocket": {"port": part.engine}, "periodSeconds": 10},
        "resources": context.sizes[part.name].resources,
    }
    container |= _particulars(context, part)
    context.service(part, part.engine, port, part.engine)
    pod: dict[str, Any] = {"containers": [container]}
    if part.engine == "mongodb":
        _add_account_script(context, part, pod)
    if part.role is not Role.STORE:
        context.workload("Deployment", part, pod)
    else:
        mount = {"name": "data", "mountPath": data}
        container.setdefault("volumeMounts", []).append(mount)
        claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "4Gi"}}}
        template = {"metadata": {"name": "data"}, "spec": claim}
        context.workload(
            "StatefulSet", part, pod, serviceName=part.name, volumeClaimTemplates=[template]
        )
    kind = {Role.STORE: "datastore", Role.CACHE: "cache", Role.BROKER: "queue"}[part.role]
    context.out.notes[part.name] = {"kind": kind, **_accounts(context, part)}


def _particulars(context: Context, part: Part) -> dict[str, Any]:
    """Environment and arguments by engine, and the Secret that they refer to."""
    secret, own = credentials_of(part), setting_name(part.name)
    if secret:
        values = {"username": USER, "password": context.password(part.name)}
        if part.engine in ("mongodb", "mysql"):
            values["root-password"] = context.password(f"root of {part.name}")
        context.secret(secret, part.name, values)
    if part.engine == "mongodb":
        env = [
            {"name": "MONGO_INITDB_ROOT_USERNAME", "value": "root"},
            secret_value("MONGO_INITDB_ROOT_PASSWORD", secret, "root-password"),
            secret_value("APP_USERNAME", secret, "username"),
            secret_value("APP_PASSWORD", secret, "password"),
        ]
        return {"args": ["--auth"], "env": env}
    if part.engine == "postgres":
        env = [
            secret_value("POSTGRES_USER", secret, "username"),
            secret_value("POSTGRES_PASSWORD", secret, "password"),
            {"name": "POSTGRES_DB", "value": own},
            {"name": "PGDATA", "value": "/var/lib/postgresql/data/pgdata"},
        ]
        return {"env": env}
    if part.engine == "mysql":
        env = [
            secret_value("MYSQL_ROOT_PASSWORD", secret, "root-password"),
            secret_value("MYSQL_USER", secret, "username"),
            secret_value("MYSQL_PASSWORD", secret, "password"),
            {"name": "MYSQL_DATABASE", "value": own},
        ]
        return {"env": env}
    if part.engine == "rabbitmq":
        env = [
            secret_value("RABBITMQ_DEFAULT_USER", secret, "username"),
            secret_value("RABBITMQ_DEFAULT_PASS", secret, "password"),
        ]
        return {"env": env}
    if part.engine == "redis":
        return {"args": ["--maxmemory", "160mb", "--maxmemory-policy", "allkeys-lru"]}
    return {"args": ["-m", "160"]} if part.engine == "memcached" else {}


def _add_account_script(context: Context, part: Part, pod: dict[str, Any]) -> None:
    """MongoDB's image makes no account for the application by itself."""
    script = (
        "#!/bin/bash\n"
        "mongosh admin --quiet --eval \"db.createUser({user: '$APP_USERNAME', pwd: '$APP_PASSWORD', "
        f"roles: [{{role: 'readWrite', db: '{setting_name(part.name)}'}}]}})\"\n"
    )
    name = f"{part.name}-init"
    context.config_map(name, part.name, {"create-account.sh": script})
    pod["volumes"] = [{"name": "init", "configMap": {"name": name}}]
    mount = {"name": "init", "mountPath": "/docker-entrypoint-initdb.d"}
    pod["containers"][0]["volumeMounts"] = [mount]


def _accounts(context: Context, part: Part) -> dict[str, Any]:
    if not credentials_of(part):
        return {}
    password, database = context.password(part.name), setting_name(part.name)
    # Engine -> where accounts are, database, role, administrator.
    known = {
        "mongodb": ("admin", database, "readWrite", "root"),
        "postgres": (database, database, f"ALL ON {table_of(part)}", USER),
        "mysql": ("mysql", database, f"ALL ON {database}.*", "root"),
        "rabbitmq": ("/", "/", "administrator", USER),
    }
    where, works_on, role, admin = known[part.engine]
    account = {
        "engine": part.engine,
        "user": USER,
        "password": password,
        "auth_database": where,
        "database": works_on,
        "role": role,
        "admin_user": admin,
        "admin_password": password if admin == USER else context.password(f"root of {part.name}"),
    }
    return {"accounts": [account]}


def _broker_image(context: Context, part: Part) -> str:
    repository = f"{context.out.registry}/platform/{part.name}"
    known = _BROKERS[part.engine]
    binaries = dict.fromkeys(known["binaries"], part.name)
    context.out.images.append({"repository": repository, **known, "binaries": binaries})
    program: dict[str, Any] = {"kind": part.engine, "version": known["tags"][0]}
    field = "queues" if part.engine == "rabbitmq" else "topics"
    program[field] = {topic: {} for topic in part.topics}
    context.out.programs[part.name] = program
    return f"{repository}:{known['tags'][0]}"
