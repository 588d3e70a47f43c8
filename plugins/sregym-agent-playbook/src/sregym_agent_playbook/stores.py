"""Which database a workload uses, as its configuration says."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from sregym_agents.survey.listed import references, template

if TYPE_CHECKING:
    from sregym_agents.survey import Listing

_IMAGE = re.compile(r"mongo|redis|valkey|postgres|mysql|mariadb|memcached|tidb|cassandra")


def store_of(seen: Listing, client: str) -> str:
    """The database that a component names in its environment or configuration; itself if none."""
    images = {}
    texts = []
    for name, workload in seen.owned("Deployment", "StatefulSet"):
        spec = template(workload).get("spec") or {}
        images[name] = " ".join(one["image"] for one in spec.get("containers") or ())
        if name == client:
            configs = {ref for kind, ref in references(workload) if kind == "ConfigMap"}
            texts.append(json.dumps(spec))
            for config in seen.of_kind("ConfigMap"):
                if config["metadata"]["name"] in configs:
                    texts.append(json.dumps(config.get("data") or {}))
    if _IMAGE.search(images.get(client, "")):
        return client
    stores = [name for name, image in images.items() if _IMAGE.search(image)]
    # Its own comes before shared ones, the database before the cache.
    stores.sort(key=lambda name: (client not in name, "memcached" in images[name], name))
    text = " ".join(texts)
    for name in stores:
        if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text):
            return name
    return client
