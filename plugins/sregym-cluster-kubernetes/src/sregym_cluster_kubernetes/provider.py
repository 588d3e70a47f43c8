"""Gives clusters from kubeconfigs, and says what one lacks."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, ClassVar

from kubernetes.client import (
    ApiClient,
    AuthorizationV1Api,
    Configuration,
    V1ResourceAttributes,
    V1SelfSubjectAccessReview,
    V1SelfSubjectAccessReviewSpec,
    VersionApi,
)
from kubernetes.client.exceptions import ApiException
from kubernetes.config.kube_config import load_kube_config_from_dict
from sregym_core.interfaces import Cluster, ClusterProvider, ClusterSpec, Finding, NodeAccess
from sregym_kubernetes.kubectl import Kubectl, KubectlError, describe_shell_kubectl, find_kubectl
from urllib3.exceptions import HTTPError
from urllib3.util.retry import Retry

from sregym_cluster_kubernetes.cluster import KubernetesCluster
from sregym_cluster_kubernetes.failure import cluster_error, unreachable
from sregym_cluster_kubernetes.kubeconfig import read_config
from sregym_cluster_kubernetes.nodes.access import ThisMachine
from sregym_cluster_kubernetes.options import parse
from sregym_cluster_kubernetes.telemetry.examining import modalities
from sregym_cluster_kubernetes.versions import numbers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# What episodes do: verbs on resources that the user of the kubeconfig must be allowed.
NEEDED_RIGHTS = (
    ("create", "", "namespaces", ""),
    ("create", "apps", "deployments", ""),
    ("delete", "", "services", ""),
    ("patch", "", "configmaps", ""),
    ("create", "", "pods", "exec"),
    ("get", "", "pods", "log"),
)


class Kubeconfig(ClusterProvider):
    """Real clusters."""

    name: ClassVar[str] = "kubeconfig"

    def check(self, options: Mapping[str, str]) -> None:
        """Refuse unknown options, and kubeconfigs that cannot be read or lack the context."""
        read_config(parse(options))

    def provision(self, spec: ClusterSpec) -> Cluster:
        """The cluster as it is; applications deploy into namespaces of their own."""
        options = parse(spec.options)
        config = read_config(options)
        return KubernetesCluster(_client(config), config, options, spec)

    def this_machine(self) -> NodeAccess:
        """By commands here."""
        return ThisMachine()

    def examine(self, options: Mapping[str, str]) -> Sequence[Finding]:
        """Whether it answers, its version, storage for claims, and the rights that are needed."""
        parsed = parse(options)
        config = read_config(parsed)
        subject = f"cluster {config['clusters'][0]['cluster']['server']}"
        client = _client(config)
        try:
            code = VersionApi(client).get_code()
            findings = [Finding(subject, True, f"answers, Kubernetes {code.git_version}")]
            findings.append(_kubectl(numbers(code)))
            with closing(KubernetesCluster(client, config, parsed, ClusterSpec())) as cluster:
                findings.append(_storage(cluster))
                findings.extend(modalities(cluster.telemetry, cluster.list("v1", "Service")))
                findings.extend(_right(client, *right) for right in NEEDED_RIGHTS)
        except ApiException as error:
            return [Finding(subject, False, cluster_error(error).message, "check the credentials")]
        except HTTPError as error:
            return [Finding(subject, False, unreachable(error), "check address and network")]
        finally:
            client.close()
        return findings


def _client(config: Mapping[str, Any]) -> ApiClient:
    configuration = Configuration()
    # One retry tells a blip from an outage; the default of three with waits hides outages.
    configuration.retries = Retry(total=1, backoff_factor=0)
    load_kube_config_from_dict(dict(config), client_configuration=configuration)
    return ApiClient(configuration)


def _kubectl(server: tuple[int, int]) -> Finding:
    try:
        found = find_kubectl(server)
    except KubectlError as error:
        return Finding("kubectl", False, str(error))
    return Finding("kubectl", True, _told(found))


def _storage(cluster: KubernetesCluster) -> Finding:
    marker = "storageclass.kubernetes.io/is-default-class"
    classes = cluster.list("storage.k8s.io/v1", "StorageClass")
    defaults = [
        item["metadata"]["name"]
        for item in classes
        if item["metadata"].get("annotations", {}).get(marker) == "true"
    ]
    detail = ", ".join(defaults) if defaults else "no default StorageClass"
    advice = "databases need one: install a provisioner, or mark a class as default"
    return Finding("storage", bool(defaults), detail, advice)


def _right(client: ApiClient, verb: str, group: str, resource: str, subresource: str) -> Finding:
    attributes = V1ResourceAttributes(
        verb=verb, group=group, resource=resource, subresource=subresource
    )
    spec = V1SelfSubjectAccessReviewSpec(resource_attributes=attributes)
    body = V1SelfSubjectAccessReview(spec=spec)
    review = AuthorizationV1Api(client).create_self_subject_access_review(body)
    name = f"{resource}/{subresource}" if subresource else resource
    allowed = review.status is not None and bool(review.status.allowed)
    detail = "allowed" if allowed else "not allowed"
    return Finding(f"right to {verb} {name}", allowed, detail, "use a context with more rights")


def _told(found: Kubectl) -> str:
    remark = describe_shell_kubectl()
    return f"{found.path}, {found.full_version}{f'; but {remark}' if remark else ''}"
