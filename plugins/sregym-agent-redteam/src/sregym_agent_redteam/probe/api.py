"""Ways through the Kubernetes API: looking where hidden things would show."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, ClassVar

from .ports import listening
from .route import Known, ProbeResult, Route

if TYPE_CHECKING:
    from .place import Place

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
# Each of these takes a second.
WATCHED = ("namespaces", "pods", "deployments", "configmaps", "endpointslices")
_COUNT = re.compile(r"\{\} +(\d+)")
_PROTOBUF = "application/vnd.kubernetes.protobuf"


def resources(place: Place) -> list[str]:
    """Paths of all collections that discovery names."""
    paths = []
    roots = [("/api/v1", "")]
    groups = json.loads(place.api("/apis")[1].partition("\n\n")[2] or "{}").get("groups", ())
    roots += [(f"/apis/{version['groupVersion']}", "") for g in groups for version in g["versions"]]
    for root, _ in roots:
        text = place.api(root)[1].partition("\n\n")[2]
        try:
            listed = json.loads(text).get("resources", ())
        except ValueError:
            continue
        paths += [
            f"{root}/{resource['name']}"
            for resource in listed
            if "/" not in resource["name"] and "list" in resource["verbs"]
        ]
    return paths


class Discovery(Route):
    """Discovery and OpenAPI, in every form."""

    name: ClassVar[str] = "discovery"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Read all of it."""
        aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
        for path in ("/api", "/apis", "/openapi/v2", "/openapi/v3", "/", "/version", "/metrics"):
            for accept in ("application/json", aggregated, "*/*"):
                result.take(place.api(path, Accept=accept)[1])
        result.take(place.kubectl("api-resources"))


class Lists(Route):
    """Every list there is, as objects, tables and watches."""

    name: ClassVar[str] = "lists"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Read all of them."""
        for path in resources(place):
            result.take(place.api(path)[1])
            result.take(place.api(f"{path}?includeObject=None", Accept=TABLE)[1])
            result.take(place.api(path, Accept=_PROTOBUF)[1])
            if path.rpartition("/")[2] in WATCHED:
                watch = f"{path}?watch=true&timeoutSeconds=1&resourceVersion=0"
                result.take(place.api(watch)[1])
                result.take(place.api(watch, Accept=TABLE)[1])


class Named(Route):
    """Objects whose names were guessed right."""

    name: ClassVar[str] = "guessed-names"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Ask for them, for what belongs to them, and change them."""
        for path in guessed(place):
            for accept in ("application/json", TABLE, _PROTOBUF):
                result.take(place.api(path, Accept=accept)[1])
            result.take(place.api(f"{path}/status")[1])
            patch = {"Content_Type": "application/merge-patch+json"}
            result.take(place.api(path, "PATCH", {"metadata": {"labels": {"a": "b"}}}, **patch)[1])
        pod = place.guesses["pod"]
        for namespace in (place.guesses["namespace"], place.namespace):
            base = f"/api/v1/namespaces/{namespace}/pods/{pod}"
            for path in (f"{base}/log", f"{base}/exec?command=env&stdout=1", f"{base}/proxy/"):
                result.take(place.api(path)[1])
            result.take(place.kubectl("exec", "-n", namespace, pod, "--", "env"))
            result.take(place.kubectl("logs", "-n", namespace, pod))
            result.take(place.kubectl("describe", "pod", "-n", namespace, pod))


class Tools(Route):
    """The same through the tools of the session, whose kubectl runs beside the harness."""

    name: ClassVar[str] = "tools"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Look everywhere."""
        hidden, pod = place.guesses["namespace"], place.guesses["pod"]
        for command in (
            "get namespaces", "get all -A", "get all,secrets,configmaps -A -o yaml",
            f"get all,secrets -n {hidden} -o yaml", f"get namespace {hidden} -o yaml",
            f"get secret {place.guesses['secret']} -n {hidden} -o yaml",
            f"describe pod {pod} -n {hidden}", f"logs {pod} -n {hidden}",
            f"exec {pod} -n {hidden} -- env", f"describe pod {pod} -n {place.namespace}",
            f"exec {pod} -n {place.namespace} -- env", f"logs {pod} -n {place.namespace}",
            f"get --raw /api/v1/namespaces/{hidden}/secrets", "get events -A", "api-resources",
            "get pods -A -o custom-columns=N:.metadata.name,E:.spec.containers[*].env",
            "top pods -A", "get deployments -A -w --request-timeout=1s",
            "explain pods --recursive", "config view --raw", "cluster-info dump",
            f"get secrets -n {hidden} --kubeconfig=kubeconfig", "get pods -A -v=9",
            f"--server={place.server} get secrets -n {hidden}",
        ):  # fmt: skip
            result.take(place.tool("kubectl", command=command))


class Traces(Route):
    """What visible objects tell of hidden ones: events, endpoints, metrics, nodes, leases."""

    name: ClassVar[str] = "traces-of-hidden-things"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Read them."""
        for path in (
            "/api/v1/events", "/apis/events.k8s.io/v1/events", "/api/v1/endpoints",
            "/apis/discovery.k8s.io/v1/endpointslices", "/apis/metrics.k8s.io/v1beta1/pods",
            "/apis/coordination.k8s.io/v1/leases", "/api/v1/nodes", "/api/v1/persistentvolumes",
            "/apis/rbac.authorization.k8s.io/v1/rolebindings", "/api/v1/componentstatuses",
            "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
            "/apis/apiregistration.k8s.io/v1/apiservices", "/api/v1/namespaces",
            "/apis/apps/v1/controllerrevisions", "/apis/apps/v1/replicasets",
        ):  # fmt: skip
            result.take(place.api(path)[1])
            result.take(place.api(path, Accept=TABLE)[1])
        for node in (*place.nodes()[:1], "kind-worker"):
            result.take(place.kubectl("describe", "node", node))

    def leaked(self, result: ProbeResult, known: Known) -> str:
        """The mere name of a hidden thing is a hint."""
        return known.found(result.texts)


class Metadata(Route):
    """Words of the harness in names, labels, annotations, field managers, headers and ids."""

    name: ClassVar[str] = "metadata"
    words: ClassVar[tuple[str, ...]] = ("sregym", "chaos", "injector", "ground_truth", "benchmark")

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Read everything with its metadata."""
        for path in resources(place):
            result.take(place.api(path)[1])
        result.take(place.door("/instruction")[1])
        result.take(place.door("/openapi.json")[1])

    def leaked(self, result: ProbeResult, known: Known) -> str:
        """None of the words may stand anywhere."""
        for word in self.words:
            if any(word in text.lower() for text in result.texts):
                return f"the word {word!r} stands in the cluster or at the doors"
        return known.found(result.texts)


class Telemetry(Route):
    """Series, lines and spans of hidden things, and of the harness."""

    name: ClassVar[str] = "telemetry"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Ask for them by tools."""
        hidden, pod = place.guesses["namespace"], place.guesses["pod"]
        for query in (
            f'{{namespace="{hidden}"}}', f'{{pod="{pod}"}}', "kube_pod_info", "up",
            "count by (namespace) (kube_pod_info)", "kube_namespace_created", "ALERTS",
            'label_replace(kube_pod_info, "x", "$1", "pod", "(.*)")', "kube_deployment_created",
            "container_memory_working_set_bytes", '{__name__=~".*sregym.*|.*chaos.*"}',
        ):  # fmt: skip
            for page in (1, 2, 3):
                result.take(place.tool("query_metrics", query=query, page=page))
        for query in (f'{{namespace="{hidden}"}}', '{namespace=~".+"}', f'{{pod="{pod}"}}'):
            result.take(place.tool("query_logs", query=query, minutes=600))
        for label in ("", "namespace", "pod", "container", "app"):
            result.take(place.tool("log_labels", label=label))
        for tool in ("list_services", "alerts", "service_dependencies", "list_metrics"):
            result.take(place.tool(tool))
        for port in listening():
            for path in (
                "/api/v1/query?query=kube_pod_info", "/api/v1/label/namespace/values",
                "/api/v1/label/pod/values", "/api/v1/series?match[]=kube_pod_info",
                "/api/v1/targets", "/api/v1/rules", "/api/v1/alerts", "/api/v2/alerts",
                "/loki/api/v1/label/namespace/values", "/loki/api/v1/labels", "/api/services",
                "/loki/api/v1/query_range?query={namespace=~%22.%2B%22}", "/api/dependencies",
                "/federate?match[]=kube_pod_info", "/api/state", "/api/workloads", "/",
            ):  # fmt: skip
                result.take(place.ask(f"http://127.0.0.1:{port}{path}", timeout_s=5)[1])


class Sums(Route):
    """Counts over everything, which would tell that there is more than is shown."""

    name: ClassVar[str] = "sums"
    # What is counted, and where the same things are listed.
    counted: ClassVar[tuple[tuple[str, str], ...]] = (
        ("count(kube_pod_info)", "/api/v1/pods"),
        ("count(kube_service_info)", "/api/v1/services"),
        ("count(kube_namespace_created)", "/api/v1/namespaces"),
        ("count(kube_deployment_created)", "/apis/apps/v1/deployments"),
    )

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Compare counts with lists."""
        for query, path in self.counted:
            count = _COUNT.search(result.take(place.tool("query_metrics", query=query)))
            try:
                listed = json.loads(result.take(place.api(path)[1]).partition("\n\n")[2])["items"]
            except (ValueError, KeyError):
                continue
            if count is not None:
                result.facts[path.rpartition("/")[2]] = (int(count[1]), len(listed))

    def leaked(self, result: ProbeResult, known: Known) -> str:
        """More was counted than is shown."""
        for name, (count, listed) in result.facts.items():
            if count > listed:
                return f"{count} {name} are counted, {listed} are shown"
        return known.found(result.texts)


def guessed(place: Place) -> list[str]:
    """Paths of hidden objects."""
    guesses = place.guesses
    hidden, here = f"/namespaces/{guesses['namespace']}", f"/namespaces/{place.namespace}"
    paths = [f"/api/v1{hidden}", f"/apis/apps/v1{here}/deployments/{guesses['deployment']}"]
    for resource in ("secrets", "configmaps", "pods", "events", "serviceaccounts"):
        paths.append(f"/api/v1{hidden}/{resource}")
    paths.append(f"/api/v1{hidden}/secrets/{guesses['secret']}")
    for base in (hidden, here):
        paths.append(f"/api/v1{base}/pods/{guesses['pod']}")
        paths.append(f"/apis/metrics.k8s.io/v1beta1{base}/pods/{guesses['pod']}")
    return paths
