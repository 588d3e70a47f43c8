"""Objects as a client asked for them: as they are, as table rows, or their metadata alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from sregym_cluster_embedded.api import custom, custom_versions, errors, printers, system_owners
from sregym_cluster_embedded.api.request import Response

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sregym_cluster_embedded.api.media import Form
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_OF_THE_LIST = ("apiVersion", "kind")
META = "meta.k8s.io/v1"


def encode(
    value: Any,
    form: Form | None = None,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A value as a complete answer."""
    if form is not None and form.yaml:
        import yaml

        text = yaml.safe_dump(value, default_flow_style=False)
        return Response(status, text.encode(), "application/yaml", headers or {})
    return Response(status, orjson.dumps(value) + b"\n", headers=headers or {})


class View:
    """How one client wants to see the objects of one type.

    Args:
        world: Where; tells the time for ages.
        resource: The type in the version of the request.
        form: As negotiated.
        include: `includeObject` of tables: `Metadata`, `Object` or `None`.
        plain: Whether managed fields that would have to be derived are left out.
    """

    def __init__(
        self, world: World, resource: Resource, form: Form, include: str = "", plain: bool = False
    ) -> None:
        self._world = world
        self._resource = resource
        self._form = form
        self._include = include or "Metadata"
        self._plain = plain
        self._additional = custom.columns(world, resource)

    def one(self, obj: Object) -> dict[str, Any]:
        """One object."""
        if self._form.kind == "Table":
            return self.table(
                [obj], {"resourceVersion": obj["metadata"].get("resourceVersion", "")}
            )
        if self._form.kind == "PartialObjectMetadata":
            return _partial(obj)
        self.check_one()
        return self._whole(obj)

    def check_one(self) -> None:
        """Refuse a form that one object does not have.

        Raises:
            errors.ApiError: NotAcceptable.
        """
        if self._form.kind == "PartialObjectMetadataList":
            raise self._other("PartialObjectMetadataList", "not a list", "")

    def many(self, objects: Iterable[Object], metadata: dict[str, Any]) -> dict[str, Any]:
        """A list; `metadata` is the list's own."""
        if self._form.kind == "Table":
            return self.table(objects, metadata)
        if self._form.kind == "PartialObjectMetadataList":
            return {
                "kind": "PartialObjectMetadataList",
                "apiVersion": META,
                "metadata": metadata,
                "items": [_partial(obj) for obj in objects],
            }
        if self._form.kind == "PartialObjectMetadata":
            raise self._other("PartialObjectMetadata", "a list", "List")
        resource = self._resource
        return {
            "kind": f"{resource.kind}List",
            "apiVersion": resource.api_version,
            "metadata": metadata,
            "items": [*map(self._item, objects)],
        }

    def _other(self, asked: str, what: str, suffix: str) -> errors.ApiError:
        type_ = f"core.{self._resource.kind}"
        if self._additional is not None:
            type_ = "unstructured.Unstructured"
        elif self._resource.group:
            type_ = f"{self._resource.group.partition('.')[0]}.{self._resource.kind}"
        text = f"you requested {asked}, but the requested object is {what} (*{type_}{suffix})"
        return errors.ApiError(406, "NotAcceptable", text)

    def _item(self, obj: Object) -> dict[str, Any]:
        """One object of a list: those of built-in types do not repeat what the list is of."""
        item = self._whole(obj)
        if self._additional is not None:
            return item
        return {name: value for name, value in item.items() if name not in _OF_THE_LIST}

    def _whole(self, obj: Object) -> dict[str, Any]:
        """One object with all that it has, also what is derived."""
        served = self._served(obj)
        if self._plain or served is not obj:
            return system_owners.without_empty_owners(served)
        return system_owners.complete(self._resource, served)

    def table(
        self, objects: Iterable[Object], metadata: dict[str, Any], with_columns: bool = True
    ) -> dict[str, Any]:
        """A table; without columns for the later events of a watch."""
        name = self._resource.name
        columns = printers.columns(name, self._additional) if with_columns else None
        return {
            "kind": "Table",
            "apiVersion": META,
            "metadata": metadata,
            "columnDefinitions": columns,
            "rows": self._rows(name, objects),
        }

    def _rows(self, name: str, objects: Iterable[Object]) -> list[dict[str, Any]]:
        now_s = self._world.epoch + self._world.now
        if self._additional is not None:
            return [
                {
                    "cells": printers.cells(name, obj, now_s, self._additional),
                    **self._object_of(obj),
                }
                for obj in (self._served(obj) for obj in objects)
            ]
        cells = printers.printer(name)
        objects = printers.in_order(name, objects)
        rows: list[dict[str, Any]] = []
        for obj in objects:
            row: dict[str, Any] = {"cells": cells(obj, now_s)}
            conditions = printers.row_conditions(name, obj)
            if conditions:
                row["conditions"] = conditions
            rows.append(row | self._object_of(obj))
        return rows

    def _served(self, obj: Object) -> Object:
        return custom_versions.as_served(self._world, self._resource, obj)

    def _object_of(self, obj: Object) -> dict[str, Any]:
        if self._include == "Metadata":
            return {"object": _partial(obj)}
        if self._include == "Object":
            return {"object": system_owners.without_empty_owners(self._served(obj))}
        return {"object": None}


def _partial(obj: Object) -> dict[str, Any]:
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": META,
        "metadata": system_owners.without_empty_owners(obj)["metadata"],
    }
