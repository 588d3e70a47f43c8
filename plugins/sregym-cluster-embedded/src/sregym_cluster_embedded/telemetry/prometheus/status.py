"""What a Prometheus says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import yaml

from sregym_cluster_embedded.telemetry.metrics.exposition import INTERVAL_S
from sregym_cluster_embedded.telemetry.rules import groups_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.world import World

VERSION = "2.42.0"
_TIMEOUT = "10s"
_FLAGS = {
    "alertmanager.notification-queue-capacity": "10000",
    "alertmanager.timeout": "",
    "config.file": "/etc/prometheus/prometheus.yml",
    "enable-feature": "",
    "log.format": "logfmt",
    "log.level": "info",
    "query.lookback-delta": "5m",
    "query.max-concurrency": "20",
    "query.max-samples": "50000000",
    "query.timeout": "2m",
    "rules.alert.for-grace-period": "10m",
    "rules.alert.for-outage-tolerance": "1h",
    "rules.alert.resend-delay": "1m",
    "scrape.adjust-timestamps": "true",
    "scrape.discovery-reload-interval": "5s",
    "scrape.timestamp-tolerance": "2ms",
    "storage.agent.path": "data-agent/",
    "storage.agent.retention.max-time": "0s",
    "storage.agent.retention.min-time": "0s",
    "storage.agent.use-lockfile": "false",
    "storage.agent.wal-compression": "true",
    "storage.agent.wal-segment-size": "0B",
    "storage.agent.wal-truncate-frequency": "0s",
    "storage.remote.flush-deadline": "1m",
    "storage.remote.read-concurrent-limit": "10",
    "storage.remote.read-max-bytes-in-frame": "1048576",
    "storage.remote.read-sample-limit": "50000000",
    "storage.tsdb.allow-overlapping-blocks": "true",
    "storage.tsdb.head-chunks-write-queue-size": "0",
    "storage.tsdb.max-block-chunk-segment-size": "0B",
    "storage.tsdb.max-block-duration": "1d12h",
    "storage.tsdb.min-block-duration": "2h",
    "storage.tsdb.path": "/prometheus",
    "storage.tsdb.retention": "0s",
    "storage.tsdb.retention.size": "0B",
    "storage.tsdb.retention.time": "15d",
    "storage.tsdb.use-lockfile": "false",
    "storage.tsdb.wal-compression": "true",
    "storage.tsdb.wal-segment-size": "0B",
    "web.config.file": "",
    "web.console.libraries": "/usr/share/prometheus/console_libraries",
    "web.console.templates": "/usr/share/prometheus/consoles",
    "web.cors.origin": ".*",
    "web.enable-admin-api": "false",
    "web.enable-lifecycle": "false",
    "web.enable-remote-write-receiver": "false",
    "web.external-url": "",
    "web.listen-address": "0.0.0.0:9090",
    "web.max-connections": "512",
    "web.page-title": "Prometheus Time Series Collection and Processing Server",
    "web.read-timeout": "5m",
    "web.route-prefix": "/",
    "web.user-assets": "",
}


def buildinfo() -> dict[str, str]:
    """Of /api/v1/status/buildinfo."""
    return {
        "version": VERSION,
        "revision": "225c61122d88b01d1f0eaaee0e05b6f3e0567ac0",
        "branch": "HEAD",
        "buildUser": "root@c67d48967507",
        "buildDate": "20230201-07:53:32",
        "goVersion": "go1.19.5",
    }


def version() -> bytes:
    """Of /version."""
    return orjson.dumps(buildinfo()) + b"\n"


def config(world: World, pools: Sequence[str]) -> dict[str, str]:
    """Of /api/v1/status/config: what it was told to do, as YAML; `pools` are those of scrapes."""
    every = f"{INTERVAL_S:g}s"
    told = {
        "global": {
            "scrape_interval": every,
            "scrape_timeout": _TIMEOUT,
            "evaluation_interval": "30s",
        },
        "alerting": {
            "alertmanagers": [
                {
                    "follow_redirects": True,
                    "enable_http2": True,
                    "scheme": "http",
                    "timeout": "10s",
                    "api_version": "v2",
                    "static_configs": [{"targets": ["alertmanager:9093"]}],
                }
            ],
        },
        "rule_files": sorted({group.file for group in groups_of(world)}),
        "scrape_configs": [
            {
                "job_name": pool,
                "honor_timestamps": True,
                "scrape_interval": every,
                "scrape_timeout": _TIMEOUT,
                "metrics_path": "/metrics",
                "scheme": "http",
                "follow_redirects": True,
                "enable_http2": True,
                "kubernetes_sd_configs": [
                    {
                        "role": "endpoints",
                        "kubeconfig_file": "",
                        "follow_redirects": True,
                        "enable_http2": True,
                    }
                ],
            }
            for pool in pools
        ],
    }
    return {"yaml": yaml.safe_dump(told, sort_keys=False)}


def flags() -> dict[str, str]:
    """Of /api/v1/status/flags."""
    return dict(_FLAGS)


def runtimeinfo(world: World) -> dict[str, Any]:
    """Of /api/v1/status/runtimeinfo."""
    return {
        "startTime": world.timestamp(0),
        "CWD": "/prometheus",
        "reloadConfigSuccess": True,
        "lastConfigTime": world.timestamp(0),
        "corruptionCount": 0,
        "goroutineCount": 60,
        "GOMAXPROCS": 4,
        "GOGC": "",
        "GODEBUG": "",
        "storageRetention": "15d",
    }
