"""The fixtures of the kit: projects, plugins of local functions, recorded hooks, the kubectl."""

from __future__ import annotations

import pytest
from sregym_core.conductor.timeline import Timeline
from sregym_core.errors import ExitCode
from sregym_core.events import EpisodeFinished, FaultInjected
from sregym_core.interfaces import ClusterSpec, Command
from sregym_core.model import ObjectRef
from sregym_testing import MemoryProvider, Shop

from sregym_core import Registration, __version__, hookspecs


def test_project_runs_in_a_world_of_its_own(sregym_project, monkeypatch) -> None:
    monkeypatch.setenv("SREGYM_DISABLE", "everything")
    monkeypatch.setenv("KUBECONFIG", "/somewhere")
    project = sregym_project({"notes/one.txt": "hello"})
    assert (project.folder / "notes" / "one.txt").read_text() == "hello"
    assert {"SREGYM_DISABLE", "KUBECONFIG"} & set(project.environment) == set()
    assert (sregym_project({"two.txt": ""}).folder / "notes" / "one.txt").exists()
    assert project.run("--version").assert_success().out == f"sregym {__version__}\n"


def test_failing_outcome_shows_everything(sregym_project) -> None:
    outcome = sregym_project().run("no-such-command", env={"SREGYM_PLUGINS": ""})
    with pytest.raises(AssertionError) as caught:
        outcome.assert_success()
    text = str(caught.value)
    assert outcome.exit_code == ExitCode.USAGE
    assert text.startswith(
        f"expected <ExitCode.DONE: 0>\nexit code: 4\ncommand: {' '.join(outcome.command)}\n"
        f"folder: {outcome.folder}\n--- standard output\n--- standard error\nsregym: "
    )
    assert "no-such-command" in text


def test_plugin_of_local_functions(register_plugin) -> None:
    def sregym_register_applications():
        return [Registration("shop", Shop)]

    registry = register_plugin(sregym_register_applications, name="shops")
    assert registry.names("application") == ["shop"]
    assert registry.load("application", "shop") is Shop
    assert register_plugin.plugins.status("shops").hooks == ("sregym_register_applications",)


def test_recorder_sees_every_hook_in_order(register_plugin, hook_recorder) -> None:
    recorder = hook_recorder(register_plugin.plugins)
    specs = [name for name in vars(hookspecs) if name.startswith("sregym_")]
    assert list(register_plugin.plugins.status("hook-recorder").hooks) == sorted(specs)
    assert register_plugin.registry.names("fault") == []
    timeline = Timeline("0001", register_plugin.plugins)
    timeline.record(FaultInjected(fault="port-off", component="cart"))
    timeline.record(EpisodeFinished(outcome="pass", reason=""))
    recorder.assert_order(
        [
            "sregym_register_injectors",
            "sregym_episode_event:FaultInjected",
            "sregym_episode_event:EpisodeFinished",
        ]
    )
    with pytest.raises(AssertionError):
        recorder.assert_order(["sregym_register_injectors"])


MANIFEST = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra}\ndata: {key: value}\n"


@pytest.mark.parametrize(
    ("words", "stdin", "exit_code", "output"),
    [
        ("-n shop apply -f -", MANIFEST, 0, "configmap/extra created\n"),
        ("-n shop create -f -", MANIFEST, 0, "configmap/extra created\n"),
        ("create -f - --namespace shop", "", 0, ""),
        ("-n shop delete svc/cart", "", 0, 'service "cart" deleted\n'),
        (
            "-n shop delete svc ghost",
            "",
            1,
            'Error from server (NotFound): services "ghost" not found\n',
        ),
        ("-n shop delete svc ghost --ignore-not-found", "", 0, 'service "ghost" deleted\n'),
        ("-n shop scale deployment cart --replicas 3", "", 0, "deployment/cart scaled\n"),
        ("-n shop set image deployment/cart cart=x:2", "", 0, "deployment/cart image updated\n"),
        ("-n shop rollout restart deploy cart", "", 0, "deployment/cart restarted\n"),
        ("-n shop patch deploy cart -p {}", "", 0, "deployment/cart patched\n"),
        (
            "-n shop delete gizmo cart",
            "",
            1,
            'error: the server doesn\'t have a resource type "gizmo"\n',
        ),
        ("-n shop scale deploy cart", "", 1, 'error: required flag(s) "replicas" not set\n'),
        (
            "-n shop set env deploy cart",
            "",
            1,
            "error: this cluster's kubectl knows only set image, not set 'env'\n",
        ),
        (
            "-n shop rollout undo deploy cart",
            "",
            1,
            "error: this cluster's kubectl knows only rollout restart and rollout status,"
            " not rollout 'undo'\n",
        ),
        ("apply -f here.yaml", "", 1, "error: only -f - is understood: pipe the manifest in\n"),
        ("apply --frobnicate", "", 1, "error: unrecognized arguments: --frobnicate\n"),
        (
            "get pods",
            "",
            1,
            "error: this cluster's kubectl knows only apply, create, delete, exec, patch, replace,"
            " rollout, scale, set, not kubectl get pods\n",
        ),
    ],
)
def test_memory_kubectl(words, stdin, exit_code, output) -> None:
    cluster = MemoryProvider().provision(ClusterSpec())
    Shop().deploy(cluster)
    result = cluster.kubectl(Command(("kubectl", *words.split()), stdin))
    assert (result.exit_code, result.stdout + result.stderr) == (exit_code, output)


def test_memory_kubectl_changes_what_it_says() -> None:
    cluster = MemoryProvider().provision(ClusterSpec())
    Shop().deploy(cluster)
    for words in ("scale deploy cart --replicas 3", "set image deploy cart cart=x:2"):
        assert cluster.kubectl(Command(("kubectl", "-n", "shop", *words.split()))).ok
    ref = ObjectRef(api_version="apps/v1", kind="Deployment", namespace="shop", name="cart")
    spec = cluster.get(ref)["spec"]
    image = spec["template"]["spec"]["containers"][0]["image"]
    assert (spec["replicas"], image) == (3, "x:2")
