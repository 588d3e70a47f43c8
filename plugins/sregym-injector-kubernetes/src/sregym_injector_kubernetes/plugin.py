"""Entry point of the plugin: names its faults and imports none of them."""

from __future__ import annotations

from sregym_core import Offer, hookimpl

_PACKAGE = "sregym_injector_kubernetes"


@hookimpl
def sregym_register_injectors() -> list[Offer]:
    """The faults of this plugin."""
    return [
        Offer("service-target-port", f"{_PACKAGE}.service_target_port:ServiceTargetPort"),
        Offer("service-selector", f"{_PACKAGE}.service_selector:ServiceSelector"),
        Offer("service-missing", f"{_PACKAGE}.service_missing:ServiceMissing"),
        Offer("configmap-missing", f"{_PACKAGE}.configmap_missing:ConfigMapMissing"),
        Offer("configmap-drift", f"{_PACKAGE}.configmap_drift:ConfigMapDrift"),
        Offer("flag-flipped", f"{_PACKAGE}.flag_flipped:FlagFlipped"),
        Offer("resource-limit", f"{_PACKAGE}.resource_limit:ResourceLimit"),
        Offer("replicas-zero", f"{_PACKAGE}.replicas_zero:ReplicasZero"),
        Offer("image-wrong", f"{_PACKAGE}.image_wrong:ImageWrong"),
        Offer("node-selector", f"{_PACKAGE}.placement:NodeSelector"),
        Offer("spread-impossible", f"{_PACKAGE}.placement:SpreadImpossible"),
        Offer("request-too-large", f"{_PACKAGE}.placement:RequestTooLarge"),
        Offer("liveness-probe-wrong", f"{_PACKAGE}.probes:LivenessProbeWrong"),
        Offer("readiness-probe-wrong", f"{_PACKAGE}.probes:ReadinessProbeWrong"),
        Offer("command-wrong", f"{_PACKAGE}.starting:CommandWrong"),
        Offer("init-hang", f"{_PACKAGE}.starting:InitHang"),
        Offer("claim-missing", f"{_PACKAGE}.starting:ClaimMissing"),
        Offer("security-context", f"{_PACKAGE}.starting:RunAsNonRoot"),
        Offer("probe-impatient", f"{_PACKAGE}.probes:ProbeImpatient"),
        Offer("taint", f"{_PACKAGE}.taint:Taint"),
        Offer("sidecar-port", f"{_PACKAGE}.sidecar_port:SidecarPort"),
        Offer("env-missing", f"{_PACKAGE}.variables:EnvMissing"),
        Offer("env-wrong", f"{_PACKAGE}.variables:EnvWrong"),
        Offer("env-shadowed", f"{_PACKAGE}.variables:EnvShadowed"),
        Offer("webhook-down", f"{_PACKAGE}.webhooks:WebhookDown"),
        Offer("namespace-policy", f"{_PACKAGE}.namespace_policy:NamespacePolicy"),
        Offer("claim-shared", f"{_PACKAGE}.volumes:ClaimShared"),
        Offer("volume-elsewhere", f"{_PACKAGE}.volumes:VolumeElsewhere"),
        Offer("rollout-skew", f"{_PACKAGE}.rollout_skew:RolloutSkew"),
        Offer("rollout-strategy", f"{_PACKAGE}.rollout_strategy:RolloutStrategy"),
        Offer("pod-sysctl", f"{_PACKAGE}.sysctls:PodSysctl"),
        Offer("preemption", f"{_PACKAGE}.preemption:Preemption"),
        Offer("autoscaler-wrong", f"{_PACKAGE}.scaling:AutoscalerWrong"),
        Offer("job-backlog", f"{_PACKAGE}.jobs:JobBacklog"),
        Offer("room-missing", f"{_PACKAGE}.room:RoomMissing"),
        Offer("secret-wrong", f"{_PACKAGE}.secret_wrong:SecretWrong"),
        Offer("host-port", f"{_PACKAGE}.host_port:HostPort"),
        Offer("image-incompatible", f"{_PACKAGE}.builds:ImageIncompatible"),
        Offer("pull-refused", f"{_PACKAGE}.builds:PullRefused"),
        Offer("disruption-budget", f"{_PACKAGE}.maintenance:DisruptionBudget"),
        Offer("maintenance-stuck", f"{_PACKAGE}.maintenance:MaintenanceStuck"),
        Offer("buggy-build", f"{_PACKAGE}.builds:BuggyBuild"),
        Offer("fallback-missing", f"{_PACKAGE}.builds:FallbackMissing"),
        Offer("fan-out", f"{_PACKAGE}.builds:FanOut"),
        Offer("protocol-skew", f"{_PACKAGE}.builds:ProtocolSkew"),
        Offer("leak", f"{_PACKAGE}.builds:Leak"),
        Offer("rbac-missing", f"{_PACKAGE}.rbac:RbacMissing"),
        Offer("readiness-gate", f"{_PACKAGE}.waiting:ReadinessGate"),
        Offer("sidecar-stuck", f"{_PACKAGE}.waiting:SidecarStuck"),
        Offer("config-stale", f"{_PACKAGE}.config_stale:ConfigStale"),
        Offer("grace-too-short", f"{_PACKAGE}.grace:GraceTooShort"),
        Offer("config-oversized", f"{_PACKAGE}.config_oversized:ConfigOversized"),
        Offer("cpu-limit", f"{_PACKAGE}.starting:CpuLimit"),
        Offer("store-sized-for-hits", f"{_PACKAGE}.stampedes:StoreSizedForHits"),
    ]
