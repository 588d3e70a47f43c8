"""The Kubernetes API of the embedded cluster: requests in, answers out, no transport."""

from __future__ import annotations
