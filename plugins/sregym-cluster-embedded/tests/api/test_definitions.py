"""Definitions of custom resources that cannot be, in the server's words and order."""

from __future__ import annotations

import pytest

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
HEAD = 'CustomResourceDefinition.apiextensions.k8s.io "caches.shop.example" is invalid: '
SCHEMA = "spec.validation.openAPIV3Schema"
OBJECT = {"type": "object"}
LABEL = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
)


def definition(schema=OBJECT, version=None, **fields):
    first = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": "caches", "kind": "Cache"}
    spec = {"group": "shop.example", "scope": "Namespaced", "names": names}
    spec["versions"] = [{**first, **(version or {})}]
    return {"metadata": {"name": "caches.shop.example"}, "spec": {**spec, **fields}}


def causes(answer):
    assert answer["reason"] == "Invalid", answer
    return [f"{cause['field']}: {cause['message']}" for cause in answer["details"]["causes"]]


def test_an_empty_one(client):
    answer = client("POST", DEFINITIONS, {"metadata": {"name": "caches.shop.example"}, "spec": {}})
    assert causes(answer) == [
        'metadata.name: Invalid value: "caches.shop.example": must be '
        'spec.names.plural+"."+spec.group',
        "spec.group: Required value",
        "spec.scope: Required value",
        "spec.versions: Invalid value: null: must have exactly one version marked as storage version",
        "spec.names.plural: Required value",
        "spec.names.singular: Required value",
        "spec.names.kind: Required value",
        "spec.names.listKind: Required value",
        "status.storedVersions: Invalid value: null: must have at least one stored version",
    ]


def test_names(client):
    names = {
        "plural": "caches",
        "singular": "Cache",
        "kind": "Ca_che",
        "listKind": "Ca_che",
        "shortNames": ["C"],
        "categories": ["all of them"],
    }
    assert causes(client("POST", DEFINITIONS, definition(names=names))) == [
        f'spec.names.singular: Invalid value: "Cache": {LABEL}',
        'spec.names.kind: Invalid value: "Ca_che": may have mixed case, but should otherwise match: '
        f"{LABEL}",
        'spec.names.listKind: Invalid value: "Ca_che": may have mixed case, but should otherwise '
        f"match: {LABEL}",
        f'spec.names.shortNames[0]: Invalid value: "C": {LABEL}',
        'spec.names.listKind: Invalid value: "Ca_che": kind and listKind may not be the same',
        f'spec.names.categories[0]: Invalid value: "all of them": {LABEL}',
    ]


def prop(schema):
    return {"type": "object", "properties": {"a": schema}}


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        (
            prop({"type": "string", "pattern": "["}),
            [
                f'{SCHEMA}.properties[a].pattern: Invalid value: "[": must be a valid regular '
                "expression, but isn't: error parsing regexp: missing closing ]: `[`"
            ],
        ),
        (
            prop({"type": "integer", "default": "x"}),
            [
                f'{SCHEMA}.properties[a].default: Invalid value: "string":  in body must be of type '
                'integer: "string"'
            ],
        ),
        (
            prop({"type": "object", "default": {"b": 1}}),
            [
                f'{SCHEMA}.properties[a].default: Invalid value: {{"b":1}}: must not have unknown '
                "fields"
            ],
        ),
        (
            prop({"$ref": "#/b", "type": "string", "uniqueItems": True}),
            [
                f"{SCHEMA}.properties[a].$ref: Forbidden: $ref is not supported",
                f"{SCHEMA}.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true "
                "since the runtime complexity becomes quadratic",
            ],
        ),
        (
            prop({"type": "array", "x-kubernetes-list-type": "map", "items": OBJECT}),
            [
                f"{SCHEMA}.properties[a].x-kubernetes-list-map-keys: Required value: must not be "
                "empty if x-kubernetes-list-type is map"
            ],
        ),
        (
            prop(
                {
                    "type": "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["k"],
                    "items": {"type": "object", "properties": {"k": {"type": "string"}}},
                }
            ),
            [
                f"{SCHEMA}.properties[a].items.properties[k].default: Required value: this property "
                "is in x-kubernetes-list-map-keys, so it must have a default or be a required "
                "property"
            ],
        ),
        (
            {"type": "object", "anyOf": [{"properties": {"b": {"type": "string"}}}]},
            [
                f"{SCHEMA}.anyOf[0].properties[b].type: Forbidden: must be empty to be structural",
                f"{SCHEMA}.properties[b]: Required value: because it is defined in "
                f"{SCHEMA}.anyOf[0].properties[b]",
            ],
        ),
        (
            {"type": "object", "properties": {"metadata": {"type": "object", "nullable": True}}},
            [
                f"{SCHEMA}.properties[metadata]: Forbidden: must not specify anything other than "
                "name and generateName, but metadata is implicitly specified"
            ],
        ),
        (
            prop({"type": "integer", "x-kubernetes-validations": [{"rule": "self.b > 1"}, {}]}),
            [
                f"{SCHEMA}.properties[a].x-kubernetes-validations[1].rule: Required value: rule is "
                "not specified"
            ],
        ),
    ],
)
def test_schemas(client, schema, found):
    assert causes(client("POST", DEFINITIONS, definition(schema))) == found


def test_subresources_and_columns(client):
    scale = {
        "specReplicasPath": "spec.n",
        "statusReplicasPath": ".spec.n",
        "labelSelectorPath": ".x",
    }
    columns = [{"name": "A", "type": "text", "jsonPath": "spec.n", "format": "x"}, {}]
    version = {
        "subresources": {"scale": scale},
        "additionalPrinterColumns": columns,
        "deprecationWarning": "old",
        "selectableFields": [{"jsonPath": ".spec.n"}, {"jsonPath": ".metadata.name"}],
    }
    types = "must be one of boolean,date,integer,number,string"
    assert causes(client("POST", DEFINITIONS, definition(version=version))) == [
        'spec.versions[0].deprecationWarning: Invalid value: "old": can only be set for deprecated '
        "versions",
        'spec.subresources.scale.specReplicasPath: Invalid value: "spec.n": must be a simple json '
        "path starting with .",
        'spec.subresources.scale.statusReplicasPath: Invalid value: ".spec.n": should be a json path '
        "under .status",
        'spec.subresources.scale.labelSelectorPath: Invalid value: ".x": should be a json path under '
        "either .spec or .status",
        f'spec.additionalPrinterColumns[0].type: Invalid value: "text": {types}',
        'spec.additionalPrinterColumns[0].format: Invalid value: "x": must be one of '
        "byte,date,date-time,double,float,int32,int64,password",
        'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "spec.n": must be a simple json '
        "path starting with .",
        "spec.additionalPrinterColumns[1].name: Required value",
        f"spec.additionalPrinterColumns[1].type: Required value: {types}",
        "spec.additionalPrinterColumns[1].JSONPath: Required value",
        'spec.selectableFields[0].jsonPath: Invalid value: ".spec.n": is an invalid path: does not '
        "refer to a valid field",
        'spec.selectableFields[1].jsonPath: Invalid value: ".metadata.name": must not point to '
        "fields in metadata",
    ]


@pytest.mark.parametrize(
    ("conversion", "found"),
    [
        (
            {"strategy": "Webhook"},
            [
                "webhookClientConfig: Required value: required when strategy is set to Webhook",
                "conversionReviewVersions: Required value",
            ],
        ),
        (
            {
                "strategy": "Webhook",
                "webhook": {
                    "conversionReviewVersions": ["v5", "v5", "V6"],
                    "clientConfig": {"url": "http://user@x?y=1#z"},
                },
            },
            [
                "webhookClientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL "
                "scheme; desired format: https://host[/path]",
                'webhookClientConfig.url: Invalid value: "user": user information is not permitted '
                "in the URL",
                'webhookClientConfig.url: Invalid value: "z": fragments are not permitted in the URL',
                'webhookClientConfig.url: Invalid value: "y=1": query parameters are not permitted '
                "in the URL",
                'conversionReviewVersions[1]: Invalid value: "v5": duplicate version',
                f'conversionReviewVersions[2]: Invalid value: "V6": {LABEL}',
                'conversionReviewVersions: Invalid value: ["v5","v5","V6"]: must include at least '
                "one of v1, v1beta1",
            ],
        ),
        (
            {
                "strategy": "Webhook",
                "webhook": {
                    "conversionReviewVersions": ["v1"],
                    "clientConfig": {"service": {"name": "", "namespace": "x", "path": "a//b"}},
                },
            },
            [
                # The server takes one name for the other.
                "webhookClientConfig.service.namespace: Required value",
                "webhookClientConfig.service.path: Invalid value: \"a//b\": must start with a '/'",
                'webhookClientConfig.service.path: Invalid value: "a//b": segment[0] may not be '
                "empty",
                'webhookClientConfig.service.path: Invalid value: "a//b": segment[1] may not be '
                "empty",
            ],
        ),
        (
            {"strategy": "Magic", "webhook": {"conversionReviewVersions": ["v1"]}},
            [
                'strategy: Unsupported value: "Magic": supported values: "None", "Webhook"',
                "conversionReviewVersions: Forbidden: should not be set when strategy is not set to "
                "Webhook",
            ],
        ),
    ],
)
def test_conversions(client, conversion, found):
    answer = client("POST", DEFINITIONS, definition(conversion=conversion))
    assert causes(answer) == [f"spec.conversion.{text}" for text in found]


def test_groups_of_the_community_need_approval(client):
    sent = definition(group="apps.k8s.io")
    sent["metadata"]["name"] = "caches.apps.k8s.io"
    approved = "api-approved.kubernetes.io"
    link = "see https://github.com/kubernetes/enhancements/pull/1111"
    head = f'protected groups must have approval annotation "{approved}"'
    assert causes(client("POST", DEFINITIONS, sent)) == [
        f"metadata.annotations[{approved}]: Required value: {head}, {link}"
    ]
    sent["metadata"]["annotations"] = {approved: "yes"}
    assert causes(client("POST", DEFINITIONS, sent)) == [
        f'metadata.annotations[{approved}]: Invalid value: "yes": {head} with either a URL or a '
        f'reason starting with "unapproved", {link}'
    ]
    sent["metadata"]["annotations"] = {approved: "unapproved, legacy"}
    assert client("POST", DEFINITIONS, sent)["kind"] == "CustomResourceDefinition"


def test_what_cannot_change(client):
    client("POST", DEFINITIONS, definition())
    names = {"plural": "stores", "kind": "Store"}
    path = f"{DEFINITIONS}/caches.shop.example"
    patch = {"spec": {"group": "x.y", "scope": "Cluster", "names": names}}
    answer = client("PATCH", path, patch, content="application/merge-patch+json")
    assert causes(answer) == [
        'spec.scope: Invalid value: "Cluster": field is immutable',
        'spec.names.kind: Invalid value: "Store": field is immutable',
        'spec.group: Invalid value: "x.y": field is immutable',
        'spec.names.plural: Invalid value: "stores": field is immutable',
    ]


def test_a_version_in_which_objects_are_stored_stays(client):
    client("POST", DEFINITIONS, definition())
    path = f"{DEFINITIONS}/caches.shop.example"
    version = definition()["spec"]["versions"][0] | {"name": "v2"}
    answer = client(
        "PATCH", path, {"spec": {"versions": [version]}}, content="application/merge-patch+json"
    )
    assert causes(answer) == [
        'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was '
        "previously a storage version, and must remain in spec.versions until a storage migration "
        "ensures no data remains persisted in v1 and removes v1 from status.storedVersions"
    ]


def test_certificates_of_a_webhook_that_are_none(client):
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object"}},
    }
    spec = {
        "group": "shop.example",
        "scope": "Namespaced",
        "names": {"kind": "Cup", "plural": "cups"},
        "versions": [version],
    }
    client("POST", path, {"metadata": {"name": "cups.shop.example"}, "spec": spec})
    conditions = [{"type": "Established", "status": "True", "reason": "x", "message": "x"}]
    client(
        "PATCH",
        f"{path}/cups.shop.example/status",
        {"status": {"conditions": conditions}},
        content="application/merge-patch+json",
    )
    webhook = {
        "conversionReviewVersions": ["v1"],
        "clientConfig": {"url": "https://10.0.0.1/convert", "caBundle": "bm9uZQ=="},
    }
    change = {"spec": {"conversion": {"strategy": "Webhook", "webhook": webhook}}}
    content = "application/merge-patch+json"
    answer = client("PATCH", f"{path}/cups.shop.example", change, content=content)
    assert answer["message"] == (
        'CustomResourceDefinition.apiextensions.k8s.io "cups.shop.example" is invalid: '
        'spec.conversion.webhookClientConfig.caBundle: Invalid value: "bm9uZQ==": unable to load '
        "root certificates: unable to parse bytes as PEM block"
    )
