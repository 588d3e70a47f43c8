"""Entry point of the plugin: names its noise sources and does not import them."""

from __future__ import annotations

from sregym_core import Offer, hookimpl


@hookimpl
def sregym_register_noise_sources() -> list[Offer]:
    """The noise sources of this plugin."""
    return [
        Offer("autoscaling", "sregym_noise_kubernetes.deploys:Autoscaling"),
        Offer("backup", "sregym_noise_kubernetes.maintenance:Backup"),
        Offer("certificate-renewal", "sregym_noise_kubernetes.maintenance:CertificateRenewal"),
        Offer("container-kill", "sregym_noise_kubernetes.churn:ContainerKill"),
        Offer("decoys", "sregym_noise_kubernetes.leftovers:Decoys"),
        Offer("innocent-deploy", "sregym_noise_kubernetes.deploys:InnocentDeploy"),
        Offer("label-edit", "sregym_noise_kubernetes.deploys:LabelEdit"),
        Offer("node-drain", "sregym_noise_kubernetes.maintenance:NodeDrain"),
        Offer("pod-failure", "sregym_noise_kubernetes.churn:PodFailure"),
        Offer("pod-restart", "sregym_noise_kubernetes.churn:PodRestart"),
        Offer("zombies", "sregym_noise_kubernetes.leftovers:Zombies"),
    ]
