"""What a resource type is: its names, its verbs, how it is stored."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

STANDARD_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
CREATE_ONLY = ("create",)
READ_WRITE = ("get", "patch", "update")
PROXY_VERBS = ("create", "delete", "get", "patch", "update")


@dataclass(frozen=True)
class Subresource:
    """A path below one object, e.g. `pods/log`.

    Attributes:
        name: The part behind the slash.
        kind: Kind that is read or sent there; empty for the kind of the resource itself.
        verbs: What may be done, sorted.
        group: Group of `kind` when it differs from the resource's own.
        version: Version of `kind`, together with `group`.
    """

    name: str
    kind: str = ""
    verbs: tuple[str, ...] = READ_WRITE
    group: str = ""
    version: str = ""


@dataclass(frozen=True)
class Resource:
    """One resource type in one version.

    Attributes:
        plural: As in paths: `deployments`.
        kind: `Deployment`.
        namespaced: Whether objects live in namespaces.
        singular: As kubectl accepts it; the lower-case kind unless said otherwise.
        group: API group, empty for the core group.
        version: `v1`.
        short_names: `deploy`.
        categories: `all`.
        verbs: What may be done with the resource, sorted.
        subresources: In the order of discovery.
        generation: Whether metadata.generation is kept.
        storage: `group/version` in which a real server stores it, where not its own: the hash in
            discovery depends on it. `None` for types that are never stored.
        stored_as: Resource name in the store when another type shares its objects.
        selectable: Of a custom resource: the fields that a list can be narrowed down by, besides
            name and namespace; None for built-in types.
    """

    plural: str
    kind: str
    namespaced: bool = True
    singular: str = ""
    group: str = ""
    version: str = "v1"
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    verbs: tuple[str, ...] = STANDARD_VERBS
    subresources: tuple[Subresource, ...] = ()
    generation: bool = False
    storage: str | None = ""
    stored_as: str = ""
    selectable: tuple[str, ...] | None = None

    @cached_property
    def name(self) -> str:
        """Resource name in the store and in messages: plural, with the group when there is one."""
        return self.stored_as or self.group_resource

    @cached_property
    def group_resource(self) -> str:
        """`deployments.apps`, `pods`: what error messages call the resource."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @cached_property
    def api_version(self) -> str:
        """`apps/v1`, `v1`."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def subresource(self, name: str) -> Subresource | None:
        """The subresource of that name, or None."""
        return next((sub for sub in self.subresources if sub.name == name), None)
