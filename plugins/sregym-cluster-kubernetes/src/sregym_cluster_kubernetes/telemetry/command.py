"""`sregym telemetry`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.cli import Subcommand, cluster_choice
from sregym_core.errors import ExitCode, UsageError, WorldError

if TYPE_CHECKING:
    import argparse

ACTIONS = ("install", "remove", "show")


class Telemetry(Subcommand):
    """Puts a small set of services of observability up on a real cluster, and takes it away."""

    name: ClassVar[str] = "telemetry"
    summary: ClassVar[str] = "install metrics, logs, traces and alerts on a real cluster"
    examples: ClassVar[tuple[str, ...]] = ("sregym telemetry install --cluster kubeconfig:staging",)

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        from sregym_cluster_kubernetes.telemetry.installing import NAMESPACE

        parser.add_argument(
            "action",
            choices=ACTIONS,
            help="install the set, remove it, or show its manifests",
        )
        parser.add_argument(
            "--cluster",
            default="kubeconfig",
            metavar="kubeconfig[:OPTION]",
            help="which cluster (default: the kubeconfig's current context)",
        )
        parser.add_argument(
            "--namespace",
            default=NAMESPACE,
            metavar="NAME",
            help=f"namespace to install into (default: {NAMESPACE})",
        )

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Do it and say how it is used."""
        from sregym_core.interfaces import ClusterError, ClusterSpec

        from sregym_cluster_kubernetes.provider import Kubeconfig
        from sregym_cluster_kubernetes.telemetry.installing import (
            as_yaml,
            install,
            manifests,
            remove,
        )

        place = arguments.namespace
        if arguments.action == "show":
            self.console.say(as_yaml(manifests(place)).rstrip())
            return ExitCode.DONE
        cluster = Kubeconfig().provision(ClusterSpec(options=_options(arguments.cluster)))
        try:
            if arguments.action == "remove":
                remove(cluster, place)
                self.console.say(f"removed: namespace {place}")
                return ExitCode.DONE
            install(cluster, place, self.console.note)
        except ClusterError as error:
            raise WorldError(error.message) from error
        finally:
            cluster.close()
        self.console.say(f"ready: prometheus, alertmanager, loki and jaeger in namespace {place}")
        self.console.say(f"use it: --cluster {_with(arguments.cluster, place)}")
        return ExitCode.DONE


def _options(choice: str) -> dict[str, str]:
    name, chosen = cluster_choice(choice)
    if name != "kubeconfig":
        raise UsageError(
            f"--cluster {choice!r}: telemetry is installed on real clusters; give kubeconfig or "
            "kubeconfig:CONTEXT"
        )
    return chosen


def _with(choice: str, namespace: str) -> str:
    """A choice of a cluster with its telemetry."""
    options = {**_options(choice), "telemetry": namespace}
    return "kubeconfig:" + ",".join(f"{name}={value}" for name, value in options.items())
