"""All that is guessed of an application: service model, notes on components, entrance, load."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sregym_apps.simulation import installed
from sregym_core.errors import UsageError
from sregym_core.model import WORKLOAD_KINDS

from sregym_dev.importing.batch import without_unknown_work
from sregym_dev.importing.call_graph import Edge, Network, without_cycles
from sregym_dev.importing.compose_objects import DEPENDS_ON
from sregym_dev.importing.container_inputs import Part, component_names, parts_of
from sregym_dev.importing.entrance import (
    Entrance,
    describe_entrances,
    entrances_of,
    load_objects,
    load_program,
)
from sregym_dev.importing.executables import SUCCEEDS, TOOLS
from sregym_dev.importing.fronts import front_entry, request_of
from sregym_dev.importing.listening import listeners_of
from sregym_dev.importing.probe_commands import probe_ports_instead
from sregym_dev.importing.programs import Program, described, program_of, with_calls
from sregym_dev.importing.queues import with_consumers
from sregym_dev.importing.roles import Group, Role, groups_of, roles_of
from sregym_dev.importing.stores import Store, stores_of
from sregym_dev.importing.users import SOMEBODY, run_as_non_root

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_apps.manifests import KubeObject
    from sregym_core.interfaces import Vocabulary

    from sregym_dev.importing.remarks import Remarks


@dataclass
class Guess:
    """An application as it is guessed.

    Attributes:
        objects: Its manifests, the load generator among them.
        model: Its service model.
        notes: Its notes on components.
        load: Namespace and name of the Deployment that generates load.
        entrance: Where users come in.
        kinds: Kinds of servers it has.
    """

    objects: list[KubeObject]
    model: dict[str, Any]
    notes: dict[str, dict[str, Any]]
    load: tuple[str, str]
    entrance: Entrance
    kinds: list[str] = field(default_factory=list)


class Guesser:
    """Puts a guess together, step by step.

    Args:
        objects: The manifests, cleaned.
        name: Of the application.
        vocabulary: What simulated clusters know; None where none is installed.
        remarks: Told what is guessed and left out.
    """

    def __init__(
        self,
        objects: Sequence[KubeObject],
        name: str,
        vocabulary: Vocabulary | None,
        remarks: Remarks,
    ) -> None:
        self.name, self.remarks = name, remarks
        self.objects = without_unknown_work(list(objects), vocabulary, remarks)
        self.parts = parts_of(self.objects)
        self.roles = roles_of(self.parts, vocabulary, remarks)
        run_as_non_root(self.roles, installed(), remarks)
        probe_ports_instead(self.roles, vocabulary, installed(), remarks)
        self.network = Network(self.objects, self.parts)
        self.stores = stores_of(self.roles, remarks)
        self.groups = groups_of(self.roles, [one.name for one in self.stores], remarks)
        every = self.network.edges(remarks)
        self.loads = [one for one in self.groups if all(r.kind == "load" for r in one.roles)]
        self.fronts = [one for one in self.stores if one.kind == "nginx"]
        self.entrances = self._entrances(every)
        if not self.entrances:
            raise UsageError(
                f"--from: no Service of {name!r} leads to a program that answers HTTP, so there is no way "
                "in for users; an application needs one"
            )
        entries = [one.part.component for one in self.entrances]
        self.edges = without_cycles(every, entries, self._units(), remarks)
        self.programs = self._programs()

    def guess(self) -> Guess:
        """Everything."""
        entrance = self.entrances[0]
        describe_entrances(self.entrances, self.remarks)
        programs = {one.name: one.entry for one in self.stores if one not in self.fronts}
        behind: dict[str, list[str]] = {}
        mix: dict[str, str] = {}
        for front in self.fronts:
            if not front.parts:
                programs[front.name] = front.entry
                continue
            entry, routes = self._front(front)
            programs[front.name] = entry
            if entrance.part in front.parts:
                mix = {name: request_of(one) for name, one in entry["routes"].items()}
                behind = {name: [routes[name]] if name in routes else [] for name in mix}
        for program in self.programs:
            own = program.group in self.loads
            split = entrance.part in program.parts
            if own:
                continue
            programs[program.name] = entry = described(program, split)
            if split:
                users = {
                    name: one["route"]
                    for name, one in entry["operations"].items()
                    if not name.startswith("probe-") and one.get("route")
                    and one["listener"] == next(iter(entry["listeners"]))
                }  # fmt: skip
                mix = {name: route.removesuffix("*") for name, route in users.items()}
                called = list(program.calls)
                behind = {n: [n] if n in called else called if len(called) < 2 else [] for n in mix}
        images = self._images()
        load = self._load(programs, images, mix)
        for obj in self.objects:
            notes = obj["metadata"].get("annotations") or {}
            if notes.pop(DEPENDS_ON, None) is not None and not notes:
                del obj["metadata"]["annotations"]
        entries = {
            name: {"service": entrance.service["metadata"]["name"], "port": entrance.port, "request": request}
            for name, request in mix.items()
        }  # fmt: skip
        model = {
            "application": self.name,
            "entry_points": entries,
            "images": images,
            "programs": programs,
        }
        kinds = sorted({one.kind for one in self.stores if one.parts and one not in self.fronts})
        return Guess(self.objects, model, self._notes(load[1], behind), load, entrance, kinds)

    def _entrances(self, edges: Sequence[Edge]) -> list[Entrance]:
        able = [part for store in self.fronts for part in store.parts]
        for group in self.groups:
            parts = [part for part in group.parts if not part.ends]
            found = listeners_of(parts, self.network, edges)
            if found and found[0].protocol == "http" and group not in self.loads:
                able += parts
        users = [edge for edge in edges if not self._is_load(edge.caller)]
        return entrances_of(self.objects, self.network, users, able)

    def _is_load(self, part: Part) -> bool:
        return any(part in group.parts for group in self.loads)

    def _units(self) -> dict[str, str]:
        """Component -> the first of those that run the same program."""
        unit = {part.component: part.component for part in self.parts}
        for parts in [*(one.parts for one in self.groups), *(one.parts for one in self.fronts)]:
            names = [unit[part.component] for part in parts]
            for component, own in unit.items():
                if own in names:
                    unit[component] = names[0]
        return unit

    def _programs(self) -> list[Program]:
        programs = [program_of(group, self.network, self.edges) for group in self.groups]
        by_part = {id(part): one for one in programs for part in one.parts}
        stores = {id(part): one for one in self.stores for part in one.parts}
        for one in programs:
            if one.group not in self.loads:
                own = [edge for edge in self.edges if edge.caller in one.parts]
                with_calls(one, own, by_part, stores, self.remarks)
        entry = self.entrances[0].part.component
        with_consumers(programs, entry, self.edges, self.remarks)
        return programs

    def _front(self, front: Store) -> tuple[dict[str, Any], dict[str, str]]:
        own = [edge for edge in self.edges if edge.caller in front.parts]
        listeners = listeners_of(front.parts, self.network, self.edges)
        version = str(front.image["tags"][0]).partition("-")[0]
        numbered = version[:1].isdigit() and "." in version
        entry, behind = front_entry(front.parts, listeners, own, version if numbered else "")
        routes = ", ".join(f"{one['request'][4:]}" for one in entry["routes"].values())
        what = f"nginx answers or passes on {routes}; nothing else of its configuration counts"
        self.remarks.guessed(front.parts[0].where, what)
        return entry, behind

    def _images(self) -> list[dict[str, Any]]:
        # A front does not read its configuration: its image is the server without the entry point.
        kept = ("repository", "tags", "size_mib", "cmd", "binaries")
        found = [
            {**{key: one.image[key] for key in kept if key in one.image}, "tools": [*TOOLS]}
            if one in self.fronts and one.parts
            else one.image
            for one in self.stores
        ]
        programs = {group.name for group in self.groups}
        for image in dict.fromkeys(role.part.image for role in self.roles):
            roles = [r for r in self.roles if r.part.image == image]
            if any(role.kind in ("server", "public") for role in roles):
                continue
            groups = [one for one in self.groups if one.roles and one.parts[0].image == image]
            found.append(_image(image, roles, groups, programs))
        return found

    def _load(
        self, programs: dict[str, Any], images: list[dict[str, Any]], mix: Mapping[str, str]
    ) -> tuple[str, str]:
        """Add the load generator, or take that of the files; its namespace and name."""
        entrance = self.entrances[0]
        service, space = (
            entrance.service["metadata"]["name"],
            entrance.service["metadata"]["namespace"],
        )
        target = f"http://{service}:{entrance.port}"
        if self.loads:
            group = self.loads[0]
            part = group.parts[0]
            programs[group.name] = load_program(target, "", mix)
            for other in self.loads[1:]:
                programs[other.name] = {"startup": [{"log": "started"}]}
            self.remarks.guessed(part.where, f"it generates the load: requests to {target}")
            return part.namespace, str(part.owner["metadata"]["name"])
        there = {part.component for part in self.parts} | set(programs)
        name = next(one for one in ("load", "load-generator", "users") if one not in there)
        image = f"example.com/{self.name}/{name}:1.0"
        self.objects += load_objects(name, image, target, space)
        programs[name] = load_program(target, "TARGET", mix)
        images.append(_image(image, (), [Group(name)], {name}))
        return space, name

    def _notes(self, load: str, behind: Mapping[str, Sequence[str]]) -> dict[str, dict[str, Any]]:
        """Notes on each component: what it is, who calls it, what of users passes through."""
        passing: dict[str, list[str]] = {}
        entry = self.entrances[0].part.component
        for operation, first in behind.items():
            for name in self._all_behind(entry, first):
                passing.setdefault(name, []).append(operation)
        kinds = {part.component: _kind(store.kind) for store in self.stores for part in store.parts}
        found: dict[str, dict[str, Any]] = {}
        names = component_names(self.objects)
        for obj in self.objects:
            if obj["kind"] not in WORKLOAD_KINDS:
                continue
            name = names[id(obj)]
            note: dict[str, Any] = {"kind": kinds.get(name, "service")}
            if obj["kind"] in ("Job", "CronJob"):
                note["kind"] = "job"
            if obj["metadata"]["name"] == load and obj["kind"] == "Deployment":
                note["kind"] = "load"
            if name != obj["metadata"]["name"]:
                note["workload"] = f"{obj['kind']}/{obj['metadata']['name']}"
            callers = [
                edge.caller.component for edge in self.edges if edge.callee.component == name
            ]
            if name == entry and load not in callers:
                callers = [load, *callers]
            if callers:
                note["callers"] = list(dict.fromkeys(callers))
            if passing.get(name):
                note["operations"] = passing[name]
            found[name] = note
        idle = [
            n for n, one in found.items() if one["kind"] != "load" and not one.get("operations")
        ]
        if idle:
            self.remarks.guessed(", ".join(idle), "no request of users is known to pass through")
        return found

    def _all_behind(self, entry: str, first: Sequence[str]) -> list[str]:
        found, ahead = [entry], list(first)
        while ahead:
            name = ahead.pop(0)
            if name not in found:
                found.append(name)
                ahead += [e.callee.component for e in self.edges if e.caller.component == name]
        return found


def _kind(server: str) -> str:
    """What a component with a server of this kind is."""
    words = {"redis": "cache", "memcached": "cache", "registry": "registry", "nginx": "service"}
    return words.get(server, "queue" if server in ("kafka", "rabbitmq") else "datastore")


def _image(
    reference: str, roles: Sequence[Role], groups: Sequence[Group], programs: set[str]
) -> dict[str, Any]:
    """The entry of an image of the team."""
    name, _, tag = reference.rpartition(":")
    if not name or "/" in tag:
        name, tag = reference, "latest"
    binaries: dict[str, str] = {}
    entry: dict[str, Any] = {"repository": name, "tags": [tag], "size_mib": 60}
    for group in groups:
        own = any(role.executables.own for role in group.roles) or not group.roles
        if own:
            entry["entrypoint"] = [f"/usr/local/bin/{group.name}"]
            binaries[f"/usr/local/bin/{group.name}"] = group.name
        binaries |= dict.fromkeys(group.paths, group.name)
    if "entrypoint" not in entry:
        entry["cmd"] = ["sh"]
    if any(role.part.needs_user for role in roles):
        entry["user"] = SOMEBODY
    if binaries:
        entry["binaries"] = {path: one for path, one in binaries.items() if one in programs}
    more = dict.fromkeys(tool for role in roles for tool in role.executables.tools)
    entry["tools"] = [*TOOLS, *more]
    unknown = dict.fromkeys(path for role in roles for path in role.executables.unknown)
    sourced = dict.fromkeys(path for role in roles for path in role.executables.sourced)
    if scripts := {path: SUCCEEDS for path in unknown if path not in binaries}:
        entry["files"] = scripts
    if sourced:
        entry["files"] = {**entry.get("files", {}), **dict.fromkeys(sourced, "")}
    return entry
