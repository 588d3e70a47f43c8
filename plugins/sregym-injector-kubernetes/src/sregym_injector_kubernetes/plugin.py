"""Entry point of the plugin: names its faults and imports none of them."""

from __future__ import annotations

from sregym_core import Registration, hookimpl

_PACKAGE = "sregym_injector_kubernetes"


@hookimpl
def sregym_register_injectors() -> list[Registration]:
    """The faults of this plugin."""
    return [
        Registration("service-target-port", f"{_PACKAGE}.service_target_port:ServiceTargetPort"),
        Registration("service-selector", f"{_PACKAGE}.service_selector:ServiceSelector"),
        Registration("service-missing", f"{_PACKAGE}.service_missing:ServiceMissing"),
        Registration("configmap-missing", f"{_PACKAGE}.configmap_missing:ConfigMapMissing"),
        Registration("configmap-drift", f"{_PACKAGE}.configmap_drift:ConfigMapDrift"),
        Registration("flag-flipped", f"{_PACKAGE}.flag_flipped:FlagFlipped"),
        Registration("resource-limit", f"{_PACKAGE}.resource_limit:ResourceLimit"),
        Registration("replicas-zero", f"{_PACKAGE}.replicas_zero:ReplicasZero"),
        Registration("image-wrong", f"{_PACKAGE}.image_wrong:ImageWrong"),
        Registration("node-selector", f"{_PACKAGE}.placement:NodeSelector"),
        Registration("spread-impossible", f"{_PACKAGE}.placement:SpreadImpossible"),
        Registration("request-too-large", f"{_PACKAGE}.placement:RequestTooLarge"),
        Registration("liveness-probe-wrong", f"{_PACKAGE}.probes:LivenessProbeWrong"),
        Registration("readiness-probe-wrong", f"{_PACKAGE}.probes:ReadinessProbeWrong"),
        Registration("command-wrong", f"{_PACKAGE}.starting:CommandWrong"),
        Registration("init-hang", f"{_PACKAGE}.starting:InitHang"),
        Registration("claim-missing", f"{_PACKAGE}.starting:ClaimMissing"),
        Registration("security-context", f"{_PACKAGE}.starting:RunAsNonRoot"),
        Registration("probe-impatient", f"{_PACKAGE}.probes:ProbeImpatient"),
        Registration("taint", f"{_PACKAGE}.taint:Taint"),
        Registration("sidecar-port", f"{_PACKAGE}.sidecar_port:SidecarPort"),
        Registration("env-missing", f"{_PACKAGE}.variables:EnvMissing"),
        Registration("env-wrong", f"{_PACKAGE}.variables:EnvWrong"),
        Registration("env-shadowed", f"{_PACKAGE}.variables:EnvShadowed"),
        Registration("webhook-down", f"{_PACKAGE}.webhooks:WebhookDown"),
        Registration("namespace-policy", f"{_PACKAGE}.namespace_policy:NamespacePolicy"),
        Registration("claim-shared", f"{_PACKAGE}.volumes:ClaimShared"),
        Registration("volume-elsewhere", f"{_PACKAGE}.volumes:VolumeElsewhere"),
        Registration("rollout-skew", f"{_PACKAGE}.rollout_skew:RolloutSkew"),
        Registration("rollout-strategy", f"{_PACKAGE}.rollout_strategy:RolloutStrategy"),
        Registration("pod-sysctl", f"{_PACKAGE}.sysctls:PodSysctl"),
        Registration("preemption", f"{_PACKAGE}.preemption:Preemption"),
        Registration("autoscaler-wrong", f"{_PACKAGE}.scaling:AutoscalerWrong"),
        Registration("job-backlog", f"{_PACKAGE}.jobs:JobBacklog"),
        Registration("room-missing", f"{_PACKAGE}.room:RoomMissing"),
        Registration("secret-wrong", f"{_PACKAGE}.secret_wrong:SecretWrong"),
        Registration("host-port", f"{_PACKAGE}.host_port:HostPort"),
        Registration("image-incompatible", f"{_PACKAGE}.builds:ImageIncompatible"),
        Registration("pull-refused", f"{_PACKAGE}.builds:PullRefused"),
        Registration("disruption-budget", f"{_PACKAGE}.maintenance:DisruptionBudget"),
        Registration("maintenance-stuck", f"{_PACKAGE}.maintenance:MaintenanceStuck"),
        Registration("buggy-build", f"{_PACKAGE}.builds:BuggyBuild"),
        Registration("fallback-missing", f"{_PACKAGE}.builds:FallbackMissing"),
        Registration("fan-out", f"{_PACKAGE}.builds:FanOut"),
        Registration("protocol-skew", f"{_PACKAGE}.builds:ProtocolSkew"),
        Registration("leak", f"{_PACKAGE}.builds:Leak"),
        Registration("rbac-missing", f"{_PACKAGE}.rbac:RbacMissing"),
        Registration("readiness-gate", f"{_PACKAGE}.waiting:ReadinessGate"),
        Registration("sidecar-stuck", f"{_PACKAGE}.waiting:SidecarStuck"),
        Registration("config-stale", f"{_PACKAGE}.config_stale:ConfigStale"),
        Registration("grace-too-short", f"{_PACKAGE}.grace:GraceTooShort"),
        Registration("config-oversized", f"{_PACKAGE}.config_oversized:ConfigOversized"),
        Registration("cpu-limit", f"{_PACKAGE}.starting:CpuLimit"),
        Registration("store-sized-for-hits", f"{_PACKAGE}.stampedes:StoreSizedForHits"),
    ]
