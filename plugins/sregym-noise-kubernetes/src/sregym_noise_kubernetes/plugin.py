"""Entry point of the plugin: names its noise sources and does not import them."""

from __future__ import annotations

from sregym_core import Registration, hookimpl


@hookimpl
def sregym_register_noise_sources() -> list[Registration]:
    """The noise sources of this plugin."""
    return [
        Registration("autoscaling", "sregym_noise_kubernetes.deploys:Autoscaling"),
        Registration("backup", "sregym_noise_kubernetes.maintenance:Backup"),
        Registration(
            "certificate-renewal", "sregym_noise_kubernetes.maintenance:CertificateRenewal"
        ),
        Registration("container-kill", "sregym_noise_kubernetes.churn:ContainerKill"),
        Registration("decoys", "sregym_noise_kubernetes.leftovers:Decoys"),
        Registration("innocent-deploy", "sregym_noise_kubernetes.deploys:InnocentDeploy"),
        Registration("label-edit", "sregym_noise_kubernetes.deploys:LabelEdit"),
        Registration("node-drain", "sregym_noise_kubernetes.maintenance:NodeDrain"),
        Registration("pod-failure", "sregym_noise_kubernetes.churn:PodFailure"),
        Registration("pod-restart", "sregym_noise_kubernetes.churn:PodRestart"),
        Registration("zombies", "sregym_noise_kubernetes.leftovers:Zombies"),
    ]
