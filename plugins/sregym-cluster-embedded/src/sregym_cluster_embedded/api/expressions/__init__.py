"""Expressions of policies, webhooks and definitions: CEL with all that an API server adds to it.

What is the API server's own, its authorizers and its checks of names, is added here to the
libraries that know nothing of a server.
"""

from __future__ import annotations

from sregym_cel import KUBERNETES, STANDARD, Environment

from sregym_cluster_embedded.api.expressions import authorization, formats

ENVIRONMENT = Environment(STANDARD, KUBERNETES, formats.LIBRARY, authorization.LIBRARY)
compile_expression = ENVIRONMENT.compile
check = ENVIRONMENT.check

__all__ = ["ENVIRONMENT", "check", "compile_expression"]
