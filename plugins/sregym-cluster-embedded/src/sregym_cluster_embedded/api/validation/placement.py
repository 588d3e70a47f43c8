"""Where pods may run: node selectors, affinities, tolerations, spreading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.validation import causes, formats

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import Cause
    from sregym_cluster_embedded.store import Object

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_OPERATOR = "not a valid selector operator"
_WEIGHT = "must be in the range 1-100"


def affinity(given: Object, path: str) -> list[Cause]:
    """The affinities of a pod; their label selectors are looked at elsewhere."""
    found: list[Cause] = []
    node = given.get("nodeAffinity") or {}
    place = f"{path}.nodeAffinity"
    if node.get(_REQUIRED) is not None:
        found += node_selector(node[_REQUIRED], f"{place}.{_REQUIRED}")
    for index, entry in enumerate(node.get(_PREFERRED) or ()):
        field = f"{place}.{_PREFERRED}[{index}]"
        found += _weight(entry, field)
        found += _node_term(entry.get("preference") or {}, f"{field}.preference", strict=False)
    for kind in ("podAffinity", "podAntiAffinity"):
        pods = given.get(kind) or {}
        for index, term in enumerate(pods.get(_REQUIRED) or ()):
            found += _pod_term(term, f"{path}.{kind}.{_REQUIRED}[{index}]")
        for index, entry in enumerate(pods.get(_PREFERRED) or ()):
            field = f"{path}.{kind}.{_PREFERRED}[{index}]"
            found += _weight(entry, field)
            found += _pod_term(entry.get("podAffinityTerm") or {}, f"{field}.podAffinityTerm")
    return found


def node_selector(selector: Object, path: str) -> list[Cause]:
    """Terms of which a node has to meet one."""
    terms = selector.get("nodeSelectorTerms") or ()
    if not terms:
        text = "must have at least one node selector term"
        return [causes.required(f"{path}.nodeSelectorTerms", text)]
    return [
        cause
        for index, term in enumerate(terms)
        for cause in _node_term(term, f"{path}.nodeSelectorTerms[{index}]", strict=True)
    ]


def _weight(entry: Object, path: str) -> list[Cause]:
    weight = entry.get("weight", 0)
    return [] if 0 < weight <= 100 else [causes.invalid(f"{path}.weight", weight, _WEIGHT)]


def _node_term(term: Object, path: str, *, strict: bool) -> list[Cause]:
    found: list[Cause] = []
    for index, rule in enumerate(term.get("matchExpressions") or ()):
        found += _node_rule(rule, f"{path}.matchExpressions[{index}]", strict)
    for index, rule in enumerate(term.get("matchFields") or ()):
        found += _field_rule(rule, f"{path}.matchFields[{index}]")
    return found


def _node_rule(rule: Object, path: str, strict: bool) -> list[Cause]:
    operator, values = rule.get("operator", ""), rule.get("values") or []
    found: list[Cause] = []
    if operator in ("In", "NotIn"):
        if not values:
            text = "must be specified when `operator` is 'In' or 'NotIn'"
            found.append(causes.required(f"{path}.values", text))
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            text = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            found.append(causes.forbidden(f"{path}.values", text))
    elif operator in ("Gt", "Lt"):
        if len(values) != 1:
            text = "must be specified single value when `operator` is 'Lt' or 'Gt'"
            found.append(causes.required(f"{path}.values", text))
    else:
        found.append(causes.invalid(f"{path}.operator", operator, _OPERATOR))
    found += formats.qualified(f"{path}.key", rule.get("key", ""))
    if strict:
        for index, value in enumerate(values):
            found += formats.label_value(f"{path}.values[{index}]", value)
    return found


def _field_rule(rule: Object, path: str) -> list[Cause]:
    operator, values = rule.get("operator", ""), rule.get("values") or []
    found: list[Cause] = []
    if operator not in ("In", "NotIn"):
        found.append(causes.invalid(f"{path}.operator", operator, _OPERATOR))
    elif len(values) != 1:
        text = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        found.append(causes.required(f"{path}.values", text))
    key = rule.get("key", "")
    if key != "metadata.name":
        return [*found, causes.invalid(f"{path}.key", key, "not a valid field selector key")]
    for index, value in enumerate(values):
        found += formats.subdomain(f"{path}.values[{index}]", value)
    return found


def _pod_term(term: Object, path: str) -> list[Cause]:
    found: list[Cause] = []
    for name in term.get("namespaces") or ():
        found += formats.label(f"{path}.namespace", name)
    key = term.get("topologyKey", "")
    if not key:
        found.append(causes.required(f"{path}.topologyKey", "can not be empty"))
    return found + formats.qualified(f"{path}.topologyKey", key)


def tolerations(given: Any, path: str) -> list[Cause]:
    """The taints that a pod bears."""
    found: list[Cause] = []
    for index, entry in enumerate(given):
        place = f"{path}[{index}]"
        key, operator = entry.get("key", ""), entry.get("operator", "")
        value, effect = entry.get("value", ""), entry.get("effect", "")
        if key:
            found += formats.qualified(f"{place}.key", key)
        if not key and operator != "Exists":
            text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
            found.append(causes.invalid(f"{place}.operator", operator, text))
        if entry.get("tolerationSeconds") is not None and effect != "NoExecute":
            text = "effect must be 'NoExecute' when `tolerationSeconds` is set"
            found.append(causes.invalid(f"{place}.effect", effect, text))
        if operator in ("", "Equal"):
            problems = formats.label_value_problems(value)
            if problems:
                found.append(causes.invalid(f"{place}.operator", value, ";".join(problems)))
        elif operator == "Exists":
            if value:
                text = "value must be empty when `operator` is 'Exists'"
                found.append(causes.invalid(f"{place}.operator", value, text))
        elif operator not in ("Gt", "Lt"):
            found.append(causes.unsupported(f"{place}.operator", operator, ("Equal", "Exists")))
        if effect:
            found += causes.one_of(f"{place}.effect", effect, EFFECTS)
    return found


def taints(given: Any, path: str) -> list[Cause]:
    """The taints of a node."""
    found: list[Cause] = []
    seen: set[tuple[str, str]] = set()
    for index, taint in enumerate(given):
        place = f"{path}[{index}]"
        key, value, effect = (taint.get(field, "") for field in ("key", "value", "effect"))
        found += formats.qualified(f"{place}.key", key)
        problems = formats.label_value_problems(value)
        if problems:
            found.append(causes.invalid(f"{place}.value", value, ";".join(problems)))
        if not effect:
            found.append(causes.required(f"{place}.effect"))
        else:
            found += causes.one_of(f"{place}.effect", effect, EFFECTS)
        if (key, effect) in seen:
            shown = {"Key": key, "Value": value, "Effect": effect, "TimeAdded": None}
            text = "taints must be unique by key and effect pair"
            found.append(causes.duplicate(place, shown, text))
        seen.add((key, effect))
    return found


def spreading(constraints: Any, path: str) -> list[Cause]:
    """Topology spread constraints."""
    found: list[Cause] = []
    for index, entry in enumerate(constraints):
        place = f"{path}[{index}]"
        skew, key = entry.get("maxSkew", 0), entry.get("topologyKey", "")
        action = entry.get("whenUnsatisfiable", "")
        if skew <= 0:
            found.append(causes.invalid(f"{place}.maxSkew", skew, causes.POSITIVE))
        if not key:
            found.append(causes.required(f"{place}.topologyKey", "can not be empty"))
        supported = ("DoNotSchedule", "ScheduleAnyway")
        found += causes.one_of(f"{place}.whenUnsatisfiable", action, supported)
        rest = constraints[index + 1 :]
        if any((key, action) == (r.get("topologyKey"), r.get("whenUnsatisfiable")) for r in rest):
            field = f"{place}.{{topologyKey, whenUnsatisfiable}}"
            found.append(causes.duplicate(field, f"{{{key}, {action}}}"))
        found += _domains(entry.get("minDomains"), action, f"{place}.minDomains")
        for field in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            found += causes.one_of(f"{place}.{field}", entry.get(field), ("Honor", "Ignore"))
    return found


def _domains(number: int | None, action: str, field: str) -> list[Cause]:
    if number is None:
        return []
    found = [causes.invalid(field, number, causes.POSITIVE)] if number <= 0 else []
    if action != "DoNotSchedule":
        text = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
        found.append(causes.invalid(field, number, text))
    return found
