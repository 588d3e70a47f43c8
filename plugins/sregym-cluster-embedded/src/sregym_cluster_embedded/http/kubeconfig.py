"""The file by which kubectl and every client library find an endpoint."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from pathlib import Path


def write_kubeconfig(path: Path, url: str, namespace: str = "default", token: str = "") -> Path:
    """Write a kubeconfig for `url` that only its owner can read; returns `path`.

    Args:
        path: Where; an existing file is replaced.
        url: Base address of the endpoint.
        namespace: The namespace of the context.
        token: Bearer token; clients refuse to send one over plain HTTP only if they check.
    """
    context = {"cluster": "kubernetes", "user": "kubernetes-admin", "namespace": namespace}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "kubernetes", "cluster": {"server": url}}],
        "users": [{"name": "kubernetes-admin", "user": {"token": token} if token else {}}],
        "contexts": [{"name": "kubernetes-admin@kubernetes", "context": context}],
        "current-context": "kubernetes-admin@kubernetes",
    }
    text = yaml.safe_dump(config, sort_keys=False)
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    return path
