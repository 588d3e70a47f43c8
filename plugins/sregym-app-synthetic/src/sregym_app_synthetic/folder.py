"""A generated application as files, in the form in which authors write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml
from sregym_apps.table import MemoryFolder

if TYPE_CHECKING:
    from sregym_app_synthetic.writing import Written

_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def as_folder(name: str, application: Written) -> MemoryFolder:
    """Manifests, notes and service model as texts in memory."""
    manifests = "---\n".join(map(_text, application.objects))
    return MemoryFolder(
        name,
        {
            "manifests/all.yaml": manifests,
            "components.yaml": _text(application.notes),
            "service_model.yaml": _text(application.model(name)),
        },
    )


def _text(data: Any) -> str:
    return str(yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1000))
