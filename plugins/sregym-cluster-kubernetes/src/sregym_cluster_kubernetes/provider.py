"""Gives clusters from kubeconfigs, and says what one lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import yaml
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
from kubernetes.config import ConfigException
from kubernetes.config.kube_config import (
    KUBE_CONFIG_DEFAULT_LOCATION,
    KubeConfigMerger,
    load_kube_config_from_dict,
)
from sregym_core.errors import UsageError
from sregym_core.interfaces import Cluster, ClusterProvider, ClusterSpec, Finding
from urllib3.exceptions import HTTPError
from urllib3.util.retry import Retry

from sregym_cluster_kubernetes.cluster import KubernetesCluster
from sregym_cluster_kubernetes.failure import cluster_error, unreachable
from sregym_cluster_kubernetes.options import ClusterOptions, parse

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

    def provision(self, spec: ClusterSpec) -> Cluster:
        """The cluster as it is; applications deploy into namespaces of their own."""
        options = parse(spec.options)
        config = read_config(options)
        return KubernetesCluster(_client(config), config, options, spec)

    def examine(self, options: Mapping[str, str]) -> Sequence[Finding]:
        """Whether it answers, its version, storage for claims, and the rights that are needed."""
        parsed = parse(options)
        config = read_config(parsed)
        subject = f"cluster {config['clusters'][0]['cluster']['server']}"
        client = _client(config)
        try:
            version = VersionApi(client).get_code().git_version
            findings = [Finding(subject, True, f"answers, Kubernetes {version}")]
            findings.append(_storage(KubernetesCluster(client, config, parsed, ClusterSpec())))
            findings.extend(_right(client, *right) for right in NEEDED_RIGHTS)
        except ApiException as error:
            return [Finding(subject, False, cluster_error(error).message, "check the credentials")]
        except HTTPError as error:
            return [Finding(subject, False, unreachable(error), "check address and network")]
        finally:
            client.close()
        return findings


def read_config(options: ClusterOptions) -> dict[str, Any]:
    """The kubeconfig, reduced to one context, with file names made absolute.

    Raises:
        UsageError: There is none, it is damaged, or it has no such context.
    """
    location = options.kubeconfig or KUBE_CONFIG_DEFAULT_LOCATION
    try:
        merged = KubeConfigMerger(location).config
    except (ConfigException, yaml.YAMLError, OSError) as error:
        msg = f"kubeconfig {location!r} cannot be read: {error}"
        raise UsageError(msg) from error
    if merged is None:
        msg = f"no kubeconfig at {location!r}; set KUBECONFIG or use --cluster kubeconfig:kubeconfig=FILE"
        raise UsageError(msg)
    content: dict[str, Any] = merged.value
    contexts = {entry["name"]: entry["context"] for entry in content.get("contexts") or ()}
    name = options.context or content.get("current-context") or ""
    if name not in contexts:
        known = ", ".join(sorted(contexts)) or "none"
        msg = f"kubeconfig {location!r} has no context {name!r}; known: {known}"
        raise UsageError(msg)
    context = contexts[name]
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "contexts": [{"name": name, "context": context}],
        "clusters": [_entry(content, "clusters", context["cluster"], location)],
        "users": [_entry(content, "users", context["user"], location)],
    }


def _entry(content: Mapping[str, Any], kind: str, name: str, location: str) -> dict[str, Any]:
    for entry in content.get(kind) or ():
        if entry["name"] == name:
            return dict(entry)
    msg = f"kubeconfig {location!r} names {name!r} among its contexts, but not among its {kind}"
    raise UsageError(msg)


def _client(config: Mapping[str, Any]) -> ApiClient:
    configuration = Configuration()
    # One retry tells a blip from an outage; the default of three with waits hides outages.
    configuration.retries = Retry(total=1, backoff_factor=0)
    load_kube_config_from_dict(dict(config), client_configuration=configuration)
    return ApiClient(configuration)


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
