"""The ConfigMaps of the components: their configuration, and the script that starts them."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from sregym_operator_tidb.cluster import TidbComponent, metadata_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.controllers import Object

_HEAD = """#!/bin/sh
set -u
domain="${POD_NAME}.${HEADLESS_SERVICE_NAME}.${NAMESPACE}.svc"
"""
# A member that is not the first one joins the others.
_PD = """until wget -q -O /dev/null -T 3 "http://${CLUSTER_NAME}-discovery.${NAMESPACE}:10261/new/${POD_NAME}"; do
  echo "waiting for the discovery service to return start args ..."
  sleep 5
done
case "${POD_NAME}" in
  *-pd-0) first="--initial-cluster=${POD_NAME}=http://${domain}:2380" ;;
  *) first="--join=http://${CLUSTER_NAME}-pd-0.${HEADLESS_SERVICE_NAME}.${NAMESPACE}.svc:2379" ;;
esac
exec /pd-server --data-dir=/var/lib/pd --name="${POD_NAME}" \\
  --peer-urls=http://0.0.0.0:2380 --advertise-peer-urls="http://${domain}:2380" \\
  --client-urls=http://0.0.0.0:2379 --advertise-client-urls="http://${domain}:2379" \\
  --config=/etc/pd/pd.toml "${first}"
"""
_TIKV = """exec /tikv-server --pd="http://${CLUSTER_NAME}-pd:2379" \\
  --addr=0.0.0.0:20160 --advertise-addr="${domain}:20160" \\
  --status-addr=0.0.0.0:20180 --advertise-status-addr="${domain}:20180" \\
  --data-dir=/var/lib/tikv --config=/etc/tikv/tikv.toml
"""
_TIDB = """exec /tidb-server --store=tikv --path="${CLUSTER_NAME}-pd:2379" \\
  --host=0.0.0.0 -P 4000 --status=10080 --advertise-address="${domain}" \\
  --config=/etc/tidb/tidb.toml
"""
_SCRIPTS = {"pd": _HEAD + _PD, "tikv": _HEAD + _TIKV, "tidb": _HEAD + _TIDB}


def config_map(component: TidbComponent) -> Object:
    """The ConfigMap of a component; another content has another name, so that pods follow."""
    data = {
        "config-file": _toml(component.spec.get("config")),
        "startup-script": _SCRIPTS[component.name],
    }
    digest = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:7]
    name = f"{component.member}-{digest}"
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata_of(component.owner, name, component.labels),
        "data": data,
    }


def _toml(config: Any) -> str:
    """A configuration in TOML: as it was written, or from the fields of the resource."""
    if isinstance(config, str):
        return config
    if not isinstance(config, dict):
        return ""
    plain = {name: value for name, value in config.items() if not isinstance(value, dict)}
    lines = [f"{name} = {json.dumps(value)}" for name, value in plain.items()]
    for name, table in config.items():
        if isinstance(table, dict):
            lines += [
                f"[{name}]",
                *(f"{key} = {json.dumps(value)}" for key, value in table.items()),
            ]
    return "".join(f"{line}\n" for line in lines)
