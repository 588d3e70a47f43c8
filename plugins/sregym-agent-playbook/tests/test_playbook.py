"""What the playbook hands in."""

from __future__ import annotations

import json

from sregym_agent_playbook.agent import Playbook
from sregym_core.interfaces import CommandResult, Stage
from sregym_core.model import Claims
from sregym_testing import Provision, ScriptedSession, Shop

LISTED = "deployments,statefulsets,daemonsets,replicasets,pods,services,configmaps,events"


def test_says_so_when_no_rule_applies(provision: Provision) -> None:
    session = ScriptedSession(Shop(), provision)
    Playbook().run(session)
    assert session.submissions == [
        "no incident: no rule applies to anything that can be seen",
        "I changed nothing.",
    ]
    assert session.stage is Stage.DONE


def test_hands_in_what_its_best_rule_says(provision: Provision) -> None:
    session = ScriptedSession(Shop(), provision)
    (namespace,) = Shop().namespaces
    metadata = {"name": "cart", "namespace": namespace}
    spec = {"replicas": 0, "template": {"metadata": {}, "spec": {}}}
    cart = {"kind": "Deployment", "metadata": metadata, "spec": spec}
    asked = f"kubectl get {LISTED} -n {namespace} -o json --show-managed-fields"
    session.watched.behind.answers[asked] = CommandResult(0, json.dumps({"items": [cart]}))
    Playbook().run(session)
    assert session.submissions[0] == (
        "The root cause is in cart: Deployment cart has scaled to zero."
    )
    handed_in = next(call for call in session.transcript if call.tool == "submit")
    assert Claims.model_validate_json(handed_in.arguments["claims"]) == Claims(
        component="cart",
        kind="Deployment",
        mechanism="scaled to zero",
        detail="is scaled to zero: spec.replicas is 0",
    )
