"""What the machine does with a scripted model, state by state."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sregym_agent_stratus.health import Health
from sregym_agent_stratus.snapshot import KINDS, SYSTEM_KINDS, Change, changes, take
from sregym_agent_stratus.stratus import Stratus
from sregym_agent_stratus.transaction import MOST_WRITES, Transaction, is_read_only
from sregym_agents.testing import final_message, use
from sregym_core.errors import UsageError
from sregym_core.interfaces import Command, CommandResult, ServiceAnswer, ToolResult
from sregym_core.model import Tokens
from sregym_mode_basic.modes import mode_named
from sregym_testing import Provision, ScriptedSession, Shop

SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {"ports": [{"port": 80}]},
}

SLOW = 'alert Slow{severity="page"} fires'


def agent(provider: Any, **options: str) -> Stratus:
    return Stratus({"model": "scripted", "base_url": f"{provider.url}/v1", **options})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {},
            "agent 'stratus' needs a model: --agent-option model=openai:NAME, or model=NAME with "
            "base_url=http://...",
        ),
        (
            {"model": "openai:small", "attempts": "many"},
            "agent 'stratus', option 'attempts': a whole number from 1 is needed, not 'many'",
        ),
        (
            {"model": "openai:small", "diagnosis_steps": "0"},
            "agent 'stratus', option 'diagnosis_steps': a whole number from 1 is needed, not '0'",
        ),
    ],
)
def test_what_it_needs(options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        Stratus(options)
    assert str(refused.value) == message


def test_roles_have_their_own_briefs_and_steps(provider: Any, provision: Provision) -> None:
    session = ScriptedSession(Shop(), provision)
    provider.script = [
        use("kubectl", "I look.", command="kubectl get pods -n shop"),
        use("kubectl", command="kubectl get services -n shop"),
        use("conclude", text="the cart"),
        use("conclude", text="repaired"),
    ]
    agent(provider, diagnosis_steps="1").run(session)
    assert session.submissions == ["the cart", "repaired"]
    first, _, third, fourth = provider.asked
    offered = [tool["function"]["name"] for tool in first["tools"]]
    assert offered == [
        *[tool.name for tool in session.tools if tool.name not in ("submit", "status")],
        "conclude",
    ]
    assert first["messages"][-1]["content"] == session.instruction
    assert "root causes" in first["messages"][0]["content"]
    assert third["messages"][-1]["content"] == (
        "your steps are used up: call conclude now with what you know"
    )
    assert "You repair" in fourth["messages"][0]["content"]
    assert fourth["messages"][-1]["content"] == (
        f"{session.instruction}\n\nThe diagnosis of your colleague:\nthe cart\n\n"
        "The system now:\nnothing seems wrong"
    )
    looked = session.transcript[0]
    assert (looked.said, looked.tokens) == ("I look.", Tokens(prompt=100, completion=10, cached=60))


def test_last_words_stand_for_a_conclusion(provider: Any, provision: Provision) -> None:
    session = ScriptedSession(Shop(), provision)
    provider.script = [final_message("It is the cart, I think.")]
    agent(provider).run(session)
    assert session.submissions == ["It is the cart, I think."] * 2
    assert provider.asked[1]["messages"][-1]["content"] == (
        "Go on, or call conclude with what you have."
    )
    assert len(provider.asked) == 6


def test_what_is_no_incident_is_not_diagnosed(provider: Any, provision: Provision) -> None:
    session = ScriptedSession(Shop(), provision, mode=mode_named("proactive"))
    alert = {
        "labels": {"alertname": "Slow", "severity": "page"},
        "annotations": {},
        "state": "firing",
    }
    body = json.dumps({"data": {"alerts": [{**alert, "activeAt": "2026-01-01T00:00:00Z"}]}})
    answer = ServiceAnswer(200, body.encode())
    session.watched.behind.observed["prometheus"] = lambda path, query: answer
    provider.script = [
        use("conclude", text=" No incident: a blip."),
        use("conclude", text="The cart is slow."),
        use("conclude", text="the cart"),
        use("conclude", text="repaired"),
    ]
    agent(provider, attempts="1").run(session)
    noticed = f"{session.instruction}\nThis was noticed:\n{SLOW}"
    prompts = [asked["messages"][-1]["content"] for asked in provider.asked]
    assert prompts == [
        noticed,
        noticed,
        f"{session.instruction}\nAn incident was noticed:\n{SLOW}\nThe cart is slow.",
        f"{session.instruction}\n\nThe diagnosis of your colleague:\nthe cart\n\n"
        f"The system now:\n{SLOW}",
    ]
    assert session.submissions == [
        "the cart",
        "The repair did not succeed; what was tried is put back.",
    ]


def test_only_the_repair_may_change_something(provision: Provision) -> None:
    session = ScriptedSession(Shop(), provision)
    answers = session.watched.behind.answers
    for command in ("kubectl get pods -n shop", "kubectl exec cart-0 -n shop -- ls"):
        answers[command] = CommandResult(0, "seen\n")
        assert is_read_only(session, "kubectl", {"command": command}) == ToolResult("seen")
    assert is_read_only(session, "wait", {"seconds": 1}).ok
    command = "kubectl delete pod cart-0 -n shop"
    assert is_read_only(session, "kubectl", {"command": command}) == ToolResult(
        "you may look but change nothing: only the repair may", ok=False
    )
    assert [(call.tool, call.own, call.ok) for call in session.transcript] == [
        ("kubectl", False, True),
        ("kubectl", False, True),
        ("wait", False, True),
        ("refuse", True, False),
    ]


def test_an_attempt_is_told_and_put_back(provision: Provision) -> None:
    listing = f"kubectl get {KINDS} -n shop -o json"
    command = "kubectl delete service web -n shop"

    class Answers(dict[str, CommandResult]):
        def get(self, asked: str, default: Any = None) -> Any:
            if asked == command:
                self[listing] = CommandResult(0, json.dumps({"items": []}))
            return super().get(asked, default)

    session = ScriptedSession(Shop(), provision)
    answers = {listing: CommandResult(0, json.dumps({"items": [SERVICE]}))}
    session.watched.behind.answers = Answers({**answers, command: CommandResult(0, "")})
    attempt = Transaction(session)
    assert attempt.call("kubectl", {"command": "kubectl get pods -n shop"})
    assert attempt.call("status", {}).ok
    assert attempt.steps == []
    attempt.call("kubectl", {"command": command})
    assert attempt.told() == [f"{command}  (Service shop/web was deleted)"]
    assert attempt.undo() == ["Service shop/web was deleted"]
    [undoing] = [call for call in session.transcript if "create" in str(call.arguments)]
    text = json.dumps(SERVICE)
    assert undoing.arguments == {"command": f"kubectl create -f - <<'EOF'\n{text}\nEOF"}


def test_an_attempt_has_an_end(provision: Provision) -> None:
    session = ScriptedSession(Shop(), provision)
    attempt = Transaction(session)
    for _ in range(MOST_WRITES):
        assert attempt.call("kubectl", {"command": "kubectl delete pod x -n shop"})
    refused = attempt.call("kubectl", {"command": "kubectl delete pod x -n shop"})
    assert (refused.ok, refused.text) == (
        False,
        "this attempt has made its 20 changes: conclude, so that the system can be looked at",
    )
    assert attempt.call("kubectl", {"command": "kubectl get pods -n shop"})
    assert len(attempt.steps) == MOST_WRITES


def test_what_ran_in_a_container_cannot_be_put_back(provision: Provision) -> None:
    session = ScriptedSession(Shop(), provision)
    attempt = Transaction(session)
    command = "kubectl exec cart-0 -n shop -- rm /data"
    attempt.call("kubectl", {"command": command})
    assert attempt.told() == [f"{command}  (nothing that is compared changed)"]
    assert attempt.undo() == [f"{command} (inside a container)"]


def test_changes_and_how_they_are_undone() -> None:
    other = {**SERVICE, "spec": {"ports": [{"port": 81}]}}
    policy = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": "deny", "namespace": "shop"},
    }
    cart = {**SERVICE, "metadata": {"name": "cart", "namespace": "shop"}}
    before = {"Service shop/web": SERVICE, "Service shop/cart": cart}
    after = {"Service shop/web": other, "NetworkPolicy shop/deny": policy}
    found = changes(before, after)
    assert [str(change) for change in found] == [
        "NetworkPolicy shop/deny was created",
        "Service shop/cart was deleted",
        "Service shop/web was changed",
    ]
    json_of_web = (
        '{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "shop"}, '
        '"spec": {"ports": [{"port": 80}]}}'
    )
    assert [change.undoing() for change in found] == [
        Command(("kubectl", "delete", "networkpolicy.networking.k8s.io", "deny", "-n", "shop")),
        Command(("kubectl", "create", "-f", "-"), json_of_web.replace('"web"', '"cart"')),
        Command(("kubectl", "replace", "-f", "-"), json_of_web),
    ]
    assert changes(before, before) == ()
    made = Change("Service shop/web", None, SERVICE)
    assert made.undoing() == Command(("kubectl", "delete", "service", "web", "-n", "shop"))


NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "node-1", "labels": {"zone": "a", "kubernetes.io/os": "linux"}},
    "spec": {"podCIDR": "10.0.0.0/24"},
}
VOLUME = {
    "apiVersion": "v1",
    "kind": "PersistentVolume",
    "metadata": {"name": "pv-1"},
    "spec": {"persistentVolumeReclaimPolicy": "Delete", "claimRef": {"name": "data"}},
}
COREDNS = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "coredns", "namespace": "kube-system"},
    "spec": {"replicas": 2, "paused": False},
}


def test_how_changes_of_the_whole_cluster_are_undone() -> None:
    node = {
        **NODE,
        "metadata": {
            "name": "node-1",
            "labels": {"zone": "b", "kubernetes.io/os": "linux", "x": "y"},
        },
        "spec": {**NODE["spec"], "taints": [{"key": "full", "effect": "NoSchedule"}]},
    }
    volume = {**VOLUME, "spec": {"persistentVolumeReclaimPolicy": "Retain"}}
    scaled = {**COREDNS, "spec": {**COREDNS["spec"], "replicas": 0}}
    paused = {**COREDNS, "spec": {"replicas": 0, "paused": True}}
    undone = {
        "Node node-1": (NODE, node),
        "PersistentVolume pv-1": (VOLUME, volume),
        "Deployment kube-system/coredns": (COREDNS, scaled),
    }
    assert [Change(name, *pair).undoing().argv for name, pair in undone.items()] == [
        (
            *("kubectl", "patch", "node", "node-1", "--type=merge", "-p"),
            '{"metadata": {"labels": {"x": null, "zone": "a"}}, "spec": {"taints": null}}',
        ),
        (
            *("kubectl", "patch", "persistentvolume", "pv-1", "--type=merge", "-p"),
            '{"spec": {"persistentVolumeReclaimPolicy": "Delete", "claimRef": {"name": "data"}}}',
        ),
        ("kubectl", "scale", "deployment.apps", "coredns", "-n", "kube-system", "--replicas=2"),
    ]
    assert Change("", COREDNS, paused).undoing().argv == ("kubectl", "replace", "-f", "-")
    assert Change("", None, {**NODE, "kind": "IngressClass"}).undoing().argv == (
        "kubectl", "delete", "ingressclass", "node-1",
    )  # fmt: skip
    # Nodes and volumes come and go by themselves.
    assert changes({"Node node-1": NODE}, {"PersistentVolume pv-1": VOLUME}) == ()


def test_what_controllers_write_in_nodes_and_volumes_is_nobodys_change(
    provision: Provision,
) -> None:
    session = ScriptedSession(Shop(), provision)
    own = {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}
    set_by_hand = {"key": "full", "effect": "NoSchedule"}
    told = {"podCIDR": "10.0.0.0/24", "taints": [own, set_by_hand]}
    claim = {"name": "data", "uid": "1", "resourceVersion": "7"}
    items = [
        {**NODE, "metadata": {"name": "node-1", "annotations": {"ttl": "0"}}, "spec": told},
        {**VOLUME, "spec": {"claimRef": claim}},
    ]
    command = f"kubectl get {SYSTEM_KINDS} -n kube-system -o json"
    session.watched.behind.answers[command] = CommandResult(0, json.dumps({"items": items}))
    assert take(session) == {
        "Node node-1": {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": "node-1"},
            "spec": {"podCIDR": "10.0.0.0/24", "taints": [set_by_hand]},
        },
        "PersistentVolume pv-1": {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": "pv-1"},
            "spec": {"claimRef": {"name": "data"}},
        },
    }


def test_kinds_that_a_server_does_not_have_are_not_asked_for_again(provision: Provision) -> None:
    session = ScriptedSession(Shop(), provision)
    fewer = SYSTEM_KINDS.removesuffix(",mutatingadmissionpolicies,mutatingadmissionpolicybindings")
    answers = session.watched.behind.answers
    for kind in ("mutatingadmissionpolicies", "mutatingadmissionpolicybindings"):
        rest = ",mutatingadmissionpolicybindings" if kind.endswith("bindings") else ""
        kinds = SYSTEM_KINDS if kind == "mutatingadmissionpolicies" else f"{fewer}{rest}"
        said = f'error: the server doesn\'t have a resource type "{kind}"\n'
        answers[f"kubectl get {kinds} -n kube-system -o json"] = CommandResult(1, "", said)
    listed = json.dumps({"items": [COREDNS]})
    answers[f"kubectl get {fewer} -n kube-system -o json"] = CommandResult(0, listed)
    assert take(session) == {"Deployment kube-system/coredns": COREDNS}


def test_a_snapshot_leaves_out_what_follows_by_itself(provision: Provision) -> None:
    session = ScriptedSession(Shop(), provision)
    metadata = {
        "name": "web",
        "namespace": "shop",
        "uid": "1",
        "resourceVersion": "7",
        "generation": 2,
        "annotations": {"deployment.kubernetes.io/revision": "3"},
    }
    owned = {"name": "x", "namespace": "shop", "ownerReferences": [{"name": "web"}]}
    listed = {
        "items": [
            {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "status": {}},
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": owned},
        ]
    }

    command = f"kubectl get {KINDS} -n shop -o json"
    session.watched.behind.answers[command] = CommandResult(0, json.dumps(listed))
    assert take(session) == {
        "Deployment shop/web": {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "web", "namespace": "shop"},
        }
    }


def test_health() -> None:
    good, alarmed = Health(), Health(alerts=("A",))
    down, worse = Health(("shop/web",), ("A",)), Health(("shop/cart", "shop/web"))
    assert [seen.good for seen in (good, alarmed, down)] == [True, False, False]
    assert [good.better_than(alarmed), alarmed.better_than(down), down.better_than(worse)] == [
        True
    ] * 3
    assert not down.better_than(down)
    assert str(down) == "Deployment shop/web is not ready\nalert A fires"
    assert str(good) == "nothing seems wrong"
