"""The configuration of a kubelet, as its server tells it at `/configz`: the defaults of kubeadm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.store import Object

_TEXT = {"infoBufferSize": "0"}


def configuration(node: Object, changed: Mapping[str, Any]) -> dict[str, Any]:
    """The KubeletConfiguration of a node, with what its file changes of the defaults."""
    return _defaults(node) | dict(changed)


def _defaults(node: Object) -> dict[str, Any]:
    return {
        "enableServer": True,
        "staticPodPath": "/etc/kubernetes/manifests",
        "podLogsDir": "/var/log/pods",
        "syncFrequency": "1m0s",
        "fileCheckFrequency": "20s",
        "httpCheckFrequency": "20s",
        "address": "0.0.0.0",  # noqa: S104 - what the kubelet says
        "port": node["status"]["daemonEndpoints"]["kubeletEndpoint"]["Port"],
        "tlsCertFile": "/var/lib/kubelet/pki/kubelet.crt",
        "tlsPrivateKeyFile": "/var/lib/kubelet/pki/kubelet.key",
        "rotateCertificates": True,
        "authentication": {
            "x509": {"clientCAFile": "/etc/kubernetes/pki/ca.crt"},
            "webhook": {"enabled": True, "cacheTTL": "2m0s"},
            "anonymous": {"enabled": False},
        },
        "authorization": {
            "mode": "Webhook",
            "webhook": {"cacheAuthorizedTTL": "5m0s", "cacheUnauthorizedTTL": "30s"},
        },
        "registryPullQPS": 5,
        "registryBurst": 10,
        "eventRecordQPS": 50,
        "eventBurst": 100,
        "enableDebuggingHandlers": True,
        "healthzPort": 10248,
        "healthzBindAddress": "127.0.0.1",
        "oomScoreAdj": -999,
        "clusterDomain": "cluster.local",
        "clusterDNS": ["10.96.0.10"],
        "streamingConnectionIdleTimeout": "4h0m0s",
        "nodeStatusUpdateFrequency": "10s",
        "nodeStatusReportFrequency": "5m0s",
        "nodeLeaseDurationSeconds": 40,
        "imageMinimumGCAge": "2m0s",
        "imageMaximumGCAge": "0s",
        "imageGCHighThresholdPercent": 85,
        "imageGCLowThresholdPercent": 80,
        "volumeStatsAggPeriod": "1m0s",
        "cgroupsPerQOS": True,
        "cgroupDriver": "systemd",
        "cpuManagerPolicy": "none",
        "cpuManagerReconcilePeriod": "10s",
        "memoryManagerPolicy": "None",
        "topologyManagerPolicy": "none",
        "topologyManagerScope": "container",
        "runtimeRequestTimeout": "2m0s",
        "hairpinMode": "promiscuous-bridge",
        "maxPods": int(node["status"]["capacity"]["pods"]),
        "podPidsLimit": -1,
        "resolvConf": "/etc/resolv.conf",
        "cpuCFSQuota": True,
        "cpuCFSQuotaPeriod": "100ms",
        "nodeStatusMaxImages": 50,
        "maxOpenFiles": 1000000,
        "contentType": "application/vnd.kubernetes.protobuf",
        "kubeAPIQPS": 50,
        "kubeAPIBurst": 100,
        "serializeImagePulls": True,
        "evictionHard": {
            "imagefs.available": "15%",
            "imagefs.inodesFree": "5%",
            "memory.available": "100Mi",
            "nodefs.available": "10%",
            "nodefs.inodesFree": "5%",
        },
        "evictionPressureTransitionPeriod": "5m0s",
        "mergeDefaultEvictionSettings": False,
        "enableControllerAttachDetach": True,
        "makeIPTablesUtilChains": True,
        "iptablesMasqueradeBit": 14,
        "iptablesDropBit": 15,
        "failSwapOn": True,
        "memorySwap": {},
        "containerLogMaxSize": "10Mi",
        "containerLogMaxFiles": 5,
        "containerLogMaxWorkers": 1,
        "containerLogMonitorInterval": "10s",
        "configMapAndSecretChangeDetectionStrategy": "Watch",
        "enforceNodeAllocatable": ["pods"],
        "volumePluginDir": "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/",
        "logging": {
            "format": "text",
            "flushFrequency": "5s",
            "verbosity": 0,
            "options": {"text": _TEXT, "json": _TEXT},
        },
        "enableSystemLogHandler": True,
        "enableSystemLogQuery": False,
        "shutdownGracePeriod": "0s",
        "shutdownGracePeriodCriticalPods": "0s",
        "crashLoopBackOff": {},
        "enableProfilingHandler": True,
        "enableDebugFlagsHandler": True,
        "seccompDefault": False,
        "memoryThrottlingFactor": 0.9,
        "registerNode": True,
        "localStorageCapacityIsolation": True,
        "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
        "failCgroupV1": False,
    }
