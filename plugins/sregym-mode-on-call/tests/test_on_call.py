"""How an incident reaches those on call, what they can read, and whether what they post is true."""

from __future__ import annotations

import pytest
from sregym_core.interfaces import BriefingContext, ResourcesContext
from sregym_core.model import Change, GroundTruth
from sregym_core.toolbox.toolset import Toolset
from sregym_mode_on_call.handbook import documents_of
from sregym_mode_on_call.mode import OnCall, severity
from sregym_mode_on_call.resources import OnCallResources, Post
from sregym_mode_on_call.truth import truth_of
from sregym_testing import FullShop

SHOP = FullShop()
ON_CALL = OnCall()


def truth(component: str, impact: str = "Requests for browse fail or time out.") -> GroundTruth:
    return GroundTruth(
        component=component,
        kind="Service",
        object_name=component,
        namespace="shop",
        mechanism="target-port",
        changed=Change(what="spec.ports[0].targetPort"),
        impact=impact,
    )


@pytest.mark.parametrize(
    ("component", "impact", "expected"),
    [
        ("catalog", "Requests for browse and buy fail or time out.", "SEV1"),
        ("catalog", "Users notice nothing yet: it is latent.", "SEV4"),
        ("worker-1", "Requests for browse fail or time out.", "SEV3"),
    ],
)
def test_severity_follows_from_what_users_miss(component, impact, expected):
    assert severity(BriefingContext(SHOP, (truth(component, impact),))) == expected


def test_the_seed_says_how_an_incident_is_reported():
    alerts = {"alerts": [{"labels": {"alertname": "HighErrorRate"}}]}
    scenes = [BriefingContext(SHOP, (truth("catalog"),), alerts, seed) for seed in range(30)]
    told = [ON_CALL.instruction(briefing) for briefing in scenes]
    kinds = {
        kind
        for text in told
        for kind in ("You are paged.", "Ticket #", "support channel", "demo did not", "CTO asks")
        if kind in text
    }
    assert kinds >= {"You are paged.", "Ticket #", "support channel"}
    assert [ON_CALL.instruction(briefing) for briefing in scenes] == told
    assert all("Severity as it was filed: SEV1" in text for text in told)
    # Without an alert nobody is paged.
    quiet = [
        ON_CALL.instruction(BriefingContext(SHOP, (truth("catalog"),), None, s)) for s in range(30)
    ]
    assert [text for text in quiet if "You are paged." in text] == []


def test_each_component_has_a_runbook_and_some_are_out_of_date():
    for seed in range(10):
        documents = documents_of(SHOP, seed)
        assert sorted(documents) == [
            "handbook",
            "runbooks/catalog",
            "runbooks/catalog-db",
            "runbooks/front",
        ]
        old = [document for document in documents.values() if document.outdated]
        assert len(old) <= 1
        for document in old:
            label, _, rest = document.outdated.partition(" is ")
            right, _, wrong = rest.partition(", not ")
            assert f"- {label}: {wrong}" in document.text
            assert f"- {label}: {right}" not in document.text
            assert "outdated" not in document.text
    assert documents_of(SHOP, 3) == documents_of(SHOP, 3)


def test_a_runbook_that_is_up_to_date_says_what_the_manifests_say():
    documents = (documents_of(SHOP, seed)["runbooks/catalog"] for seed in range(20))
    text = next(document.text for document in documents if not document.outdated)
    facts = [line for line in text.splitlines() if line.startswith("- ")]
    assert facts == [
        "- Kind: service",
        "- Workload: Deployment catalog in shop",
        "- Image: shop/catalog:latest",
        "- Replicas: 1",
        "- Ports: 9091 to 9091, 8083 to 8083",
        "- Memory limit: 256Mi",
        "- Calls: catalog-db",
        "- Called by: front",
    ]


@pytest.mark.parametrize(
    ("text", "served", "expected"),
    [
        ("Resolved: the port was wrong.", 1.0, "true"),
        ("Resolved: the port was wrong.", 0.4, "false"),
        ("We are investigating, orders are failing.", 0.4, "true"),
        ("We are investigating.", 1.0, "false"),
        ("Not yet fixed, still failing.", 0.4, "true"),
        ("We will tell you when it is fixed.", 0.4, "undecided"),
        ("Resolved.", None, "undecided"),
        ("Looking at the Service of cart.", 0.4, "undecided"),
    ],
)
def test_an_update_is_held_against_what_users_saw(text, served, expected):
    assert truth_of(Post(0.0, text, served), 0.999) == expected


class Clock:
    """Implements what these tools need of their context."""

    def now(self):
        return 86_400.0


def test_documents_are_listed_and_read_and_posts_are_kept():
    resources = OnCallResources(documents_of(SHOP, 1), lambda: 0.5)
    tools = Toolset().extended(resources.tools)

    def asked(tool, **given):
        return tools.respond(tool, Clock(), tools.validated(tool, given))

    assert asked("read_document").text.splitlines()[0] == (
        f"handbook: handbook for those on call for {SHOP.title}"
    )
    assert asked("read_document", name="runbooks/front").text.startswith("# front\n")
    wrong = asked("read_document", name="front")
    assert (wrong.ok, wrong.text) == (
        False,
        "there is no document 'front'; there are: handbook, runbooks/catalog, "
        "runbooks/catalog-db, runbooks/front",
    )
    assert asked("post_update", text="We look").text == "posted at 1970-01-02T00:00:00Z"
    twin = resources.fork(lambda: 1.0)
    twin.post(86_401.0, "Resolved")
    assert [(post.text, post.served) for post in resources.posts] == [("We look", 0.5)]
    assert [(post.text, post.served) for post in twin.posts] == [
        ("We look", 0.5),
        ("Resolved", 1.0),
    ]


def test_tools_stand_after_those_of_every_session():
    resources = ON_CALL.resources(ResourcesContext(SHOP, 1, lambda: None))
    usual = Toolset()
    listed = [(tool.name, tool.reads_only) for tool in usual.extended(resources.tools).tools()]
    assert listed == [
        *((tool.name, tool.reads_only) for tool in usual.tools()),
        ("read_document", True),
        ("post_update", False),
    ]


def test_the_record_tells_what_was_posted_and_which_documents_are_old():
    resources = ON_CALL.resources(ResourcesContext(SHOP, 1, lambda: 0.4))
    resources.post(86_460.0, "Resolved: the port was wrong.")
    told = resources.account(lambda moment: moment - 86_400.0, 0.999)
    assert [(one.at_s, one.text, one.truth) for one in told["updates"]] == [
        (60.0, "Resolved: the port was wrong.", "false")
    ]
    old = {name: one.outdated for name, one in resources.documents.items() if one.outdated}
    assert {one.name: one.what for one in told["outdated_documents"]} == old
