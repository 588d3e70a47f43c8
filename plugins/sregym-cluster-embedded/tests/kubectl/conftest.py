"""One world, run by the twin and by the binary."""

from __future__ import annotations

import shlex
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from sregym_cluster_embedded.api.pki.authority import certificate_authority
from sregym_cluster_embedded.api.request import User
from sregym_cluster_embedded.http.kubeconfig import write_kubeconfig
from sregym_cluster_embedded.http.live import LiveWorld
from sregym_cluster_embedded.http.pacing import Stepped
from sregym_cluster_embedded.http.secure import client_credentials
from sregym_cluster_embedded.http.server import ApiEndpoint
from sregym_cluster_embedded.kubectl import CommandResult, DirectAccess, run
from sregym_cluster_embedded.kubectl.fallback import run_binary
from sregym_cluster_embedded.world import World

SHOP = """
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web, tier: front}
  annotations: {team: front, note: "two\\nlines"}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: registry.example/shop/web:1.0
        ports: [{containerPort: 8080, name: http}]
        env:
        - {name: COLOR, value: blue}
        - name: LEVEL
          valueFrom: {configMapKeyRef: {name: settings, key: level}}
        - name: TOKEN
          valueFrom: {secretKeyRef: {name: keys, key: token, optional: true}}
        - name: POD
          valueFrom: {fieldRef: {fieldPath: metadata.name}}
        readinessProbe: {httpGet: {path: /healthz, port: 8080}, periodSeconds: 1}
        livenessProbe: {tcpSocket: {port: 8080}}
        resources: {limits: {memory: 64Mi, cpu: 200m}, requests: {memory: 16Mi}}
        volumeMounts:
        - {name: cfg, mountPath: /etc/web, readOnly: true}
        - {name: work, mountPath: /work, subPath: x}
      volumes:
      - {name: cfg, configMap: {name: settings}}
      - {name: keys, secret: {secretName: keys}}
      - {name: work, emptyDir: {}}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{name: http, port: 80, targetPort: http}, {name: other, port: 81, targetPort: 8080}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data:
  level: info
  app.conf: |
    a=1
    b=2
  html: "<b>&amp;</b>"
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: front, annotations: {a: b}}
spec:
  tls: [{hosts: [shop.example], secretName: cert}]
  rules:
  - host: shop.example
    http:
      paths:
      - {path: /, pathType: Prefix, backend: {service: {name: web, port: {name: http}}}}
      - {path: /other, pathType: Exact, backend: {service: {name: web, port: {number: 81}}}}
      - {path: /none, pathType: Prefix, backend: {service: {name: none, port: {number: 1}}}}
---
apiVersion: v1
kind: Secret
metadata: {name: keys}
stringData: {token: abc}
---
apiVersion: v1
kind: Pod
metadata: {name: two, labels: {app: two}}
spec:
  nodeSelector: {kubernetes.io/os: linux}
  tolerations: [{key: a, operator: Equal, value: b, effect: NoSchedule}]
  initContainers:
  - {name: first, image: "registry.example/library/busybox:1.36", command: [sh, -c, "exit 0"]}
  containers:
  - {name: one, image: "registry.example/shop/worker:1.0", args: [a, "b c"]}
  - {name: other, image: "registry.example/shop/worker:1.0"}
---
apiVersion: v1
kind: Pod
metadata: {name: flaky, labels: {app: flaky}}
spec:
  containers:
  - {name: flaky, image: "registry.example/shop/flaky:1.0", env: [{name: CODE, value: "3"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: nowhere, labels: {app: nowhere}}
spec:
  containers: [{name: c, image: "registry.example/shop/none:1.0"}]
"""

ODD = Path(__file__).with_name("odd_files.yaml")
WIDE = Path(__file__).with_name("wide.yaml")
# What has happened to the shop with all kinds, and how long it took.
SET_UP = [
    (["apply", "-f", "-"], 60.0),
    (["set", "image", "deploy/web", "web=registry.example/shop/web:1.1", "-n", "shop"], 30.0),
    (["annotate", "deploy/web", "kubernetes.io/change-cause=second", "-n", "shop"], 1.0),
    (["set", "image", "sts/db", "db=registry.example/shop/worker:1.1", "-n", "shop"], 1.0),
    (["set", "image", "ds/agent", "agent=registry.example/shop/worker:1.1", "-n", "shop"], 120.0),
]
FILES = {
    "vars.env": "A=1\n# c\nB=two words\n\nC=\n",
    "applied.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: applied}, data: {a: b}}\n",
    "multi.yaml": (
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: applied, labels: {set: x}}, "
        "data: {a: 'y'}}\n---\n"
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {z: '1e3'}}\n"
    ),
    "unknown.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: odd}, dta: {a: b}}\n",
    "image.yaml": (
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: "
        "{selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: "
        "{containers: [{name: web, image: other}]}}}}\n"
    ),
}

# How often a pair of runs may fall into different seconds of the wall clock.
TRIES = 6


class Run(NamedTuple):
    """What a command gave back, and all objects that it left."""

    result: CommandResult
    objects: dict[str, list[dict[str, Any]]]


class BothWays:
    """Runs commands on forks of one world, in process and through the binary."""

    def __init__(self, world: World, folder: Path, *, secure: bool = False) -> None:
        self._world = world.fork()
        self._live = LiveWorld(world.fork(), Stepped(request_cost_s=0.0, waiting_ratio=100.0))
        self._endpoint = ApiEndpoint(self._live, secure=secure)
        self._endpoint.start()
        self.folder = folder
        self.kubeconfig = write_kubeconfig(
            folder / "kubeconfig",
            self._endpoint.url,
            authority=certificate_authority(world) if secure else "",
            credentials=(
                client_credentials(world, User().name, ("system:masters",)) if secure else None
            ),
        )
        self._memory: dict[str, Any] = {}

    def close(self) -> None:
        self._endpoint.close()

    def present(self) -> World:
        """A fork in which it is now what it is outside."""
        # What has passed once need not pass again in each fork.
        self._world.run_until(max(self._world.now, time.time() - self._world.epoch))
        return self._world.fork()

    def twin(
        self, world: World, argv: list[str], stdin: str = "", folder: Path | None = None
    ) -> Run:
        access = DirectAccess(world, kubeconfig=lambda: self.kubeconfig)
        access.memory = self._memory
        result = run(access, argv, stdin, folder or self.folder)
        return Run(result, objects(world))

    def binary(
        self, world: World, argv: list[str], stdin: str = "", folder: Path | None = None
    ) -> Run:
        self._live.replace(world)
        result = run_binary(self.kubeconfig, argv, stdin, folder or self.folder, timeout_s=60)
        return Run(result, objects(world))

    def runs(
        self,
        argv: list[str],
        stdin: str = "",
        folders: tuple[Path | None, Path | None] = (None, None),
        before: Sequence[list[str]] = (),
    ) -> tuple[Run, Run]:
        """The twin's run and the binary's, in `folders`; again when they differ.

        The commands of `before` have been run in process when either begins.

        They may have seen different seconds, and the binary leaves a copy as soon as
        it has the archive, at times before it has written what `tar` said beside it.
        """
        for _ in range(TRIES):
            world = self.present()
            for words in before:
                done = self.twin(world, words).result
                assert done.exit_code == 0, done.stderr
            twin = self.twin(world.fork(), argv, stdin, folders[0])
            binary = self.binary(world, argv, stdin, folders[1])
            if twin.result == binary.result:
                break
        return twin, binary


def objects(world: World) -> dict[str, list[dict[str, Any]]]:
    return {resource: world.store.list(resource) for resource in world.store.resources()}


@pytest.fixture(scope="session")
def steps() -> Callable[[str], tuple[list[list[str]], str]]:
    """The commands of a line, in words, and the standard input of the last."""
    return _steps


def _steps(line: str) -> tuple[list[list[str]], str]:
    commands: list[list[str]] = [[]]
    for word in shlex.split(line):
        if word == "&&":
            commands.append([])
        else:
            commands[-1].append(word)
    last = commands[-1]
    if "<<<" not in last:
        return commands, ""
    stdin = last[last.index("<<<") + 1]
    return [*commands[:-1], last[: last.index("<<<")]], stdin


@pytest.fixture(scope="session")
def make_ways() -> Callable[[World, Path], BothWays]:
    return BothWays


@pytest.fixture(scope="session")
def both_ways(
    make_shop: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BothWays]:
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed")
    shop = make_shop(epoch=int(time.time()) - 200)
    shop.apply(SHOP)
    shop.run(90)
    folder = tmp_path_factory.mktemp("kubectl")
    ways = BothWays(shop.world, folder)
    yield ways
    ways.close()


@pytest.fixture(scope="session")
def wide(
    make_shop: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BothWays]:
    """The shop, with objects of most other kinds, and with revisions."""
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed")
    # So old that ages are told in minutes: on a busy machine seconds pass between the two ways.
    shop = make_shop(epoch=int(time.time()) - 1000)
    shop.apply(SHOP)
    shop.run(30)
    for argv, seconds in SET_UP:
        done = run(DirectAccess(shop.world), argv, WIDE.read_text())
        assert done.exit_code == 0, done.stderr
        shop.run(seconds)
    folder = tmp_path_factory.mktemp("wide")
    for name, text in {**FILES, **yaml.safe_load(ODD.read_text())["here"]}.items():
        (folder / name).write_text(text)
    ways = BothWays(shop.world, folder, secure=True)
    yield ways
    ways.close()
