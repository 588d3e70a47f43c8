from __future__ import annotations

from sregym_core.model import Change, GroundTruth, ObjectRef
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.scope import impact_phrases


def test_what_follows_from_the_component_is_filled_in(context):
    settings = ObjectRef(api_version="v1", kind="ConfigMap", namespace="shop", name="settings")
    changed = Change(what="ConfigMap settings", before="key a", after="")
    truth = truth_of(context, settings, "configmap-missing", ["gone"], changed, "no start", "dead")
    assert truth == GroundTruth(
        component="catalog",
        kind="ConfigMap",
        object_name="settings",
        namespace="shop",
        mechanism="configmap-missing",
        mechanism_phrases=("gone",),
        changed=changed,
        affected=("front",),
        impact="Requests for browse and buy fail or time out.",
        impact_phrases=(*impact_phrases(context.component), "no start", "dead"),
    )
