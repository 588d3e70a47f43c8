"""The types in which admission is configured."""

from __future__ import annotations

_GROUP = "admissionregistration.k8s.io"
VALIDATING = f"validatingwebhookconfigurations.{_GROUP}"
MUTATING = f"mutatingwebhookconfigurations.{_GROUP}"
POLICIES = f"validatingadmissionpolicies.{_GROUP}"
BINDINGS = f"validatingadmissionpolicybindings.{_GROUP}"
MUTATING_POLICIES = f"mutatingadmissionpolicies.{_GROUP}"
MUTATING_BINDINGS = f"mutatingadmissionpolicybindings.{_GROUP}"
