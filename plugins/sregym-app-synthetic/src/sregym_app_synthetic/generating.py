"""Draws a call graph: layers of programs, skewed fan-out, a few that everybody calls, stores at the ends.

The shape follows what operators of large systems have published of theirs; docs/reference/synthetic.md
names the sources. All chance comes from the settings' seed, one stream for each concern.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from sregym_app_synthetic.graph import Call, Graph, Method, Part, Role, UserOperation
from sregym_app_synthetic.naming import Names, vocabulary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_app_synthetic.settings import Settings

# Of the programs, so many are called by programs everywhere in the graph.
_SHARED = 0.05
# One gateway for so many programs.
_PER_GATEWAY = 120
# How skewed the number of callees is: the shape of a Pareto distribution.
_SKEW = 1.6
# No program needs so many times as much as the one that needs least.
_MOST = 10.0
# Of the calls to a program of the tree, so many are not made by every request, and then by which share.
_SOMETIMES, _SHARES = 0.2, (0.3, 0.8)
# Of the programs that call others, so many call one that belongs to another branch, too.
_CROSSING, _CROSSING_SHARES = 0.3, (0.1, 0.5)
# How many shared programs a method calls, with weights.
_SHARED_CALLS = ((0, 45), (1, 35), (2, 15), (3, 5))
_STORES = (("mongodb", 40), ("postgres", 35), ("mysql", 25))
_CACHES = (("redis", 60), ("memcached", 40))
_BROKERS = (("rabbitmq", 60), ("kafka", 40))
_TOPICS = 2
_LEAST_DEPTH = 3


@dataclass(frozen=True)
class _Counts:
    stores: int
    caches: int
    brokers: int
    gateways: int
    shared: int
    workers: int
    layers: tuple[int, ...]


def generate(settings: Settings) -> Graph:
    """The call graph of these settings; the same for the same settings."""
    return _Drawing(settings).graph()


def counts(settings: Settings) -> _Counts:
    """How many parts of each kind there are; all together are as many as the settings say."""
    number = settings.services
    stores = round(number * settings.stores)
    caches = min(stores, round(number * settings.caches))
    brokers = round(number * settings.queues)
    programs = number - stores - caches - brokers
    # A second gateway is one more call of a chain, which the shortest chains have no room for.
    gateways = 1 + (programs // _PER_GATEWAY if settings.depth > _LEAST_DEPTH else 0)
    shared = max(1, round(programs * _SHARED))
    workers = min(brokers * _TOPICS, programs // 4)
    rest = programs - gateways - shared - workers
    return _Counts(
        stores, caches, brokers, gateways, shared, workers, _layers(rest, settings.depth, gateways)
    )


def _layers(number: int, depth: int, gateways: int) -> tuple[int, ...]:
    """How many programs stand behind the gateways on each layer: most on the second and third.

    A shared program and its store are two more calls of a chain, a second gateway is one.
    """
    layers = min(number, max(1, depth - 2 - (gateways > 1)))
    weights = [place * 0.62**place for place in range(1, layers + 1)]
    sizes = [max(1, int(number * weight / sum(weights))) for weight in weights]
    sizes[0] += number - sum(sizes)
    return tuple(sizes)


class _Drawing:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.counts = counts(settings)
        self.names = Names(settings.seed)
        self.parts: list[Part] = []
        self.domains: dict[str, str] = {}
        self.operations: list[UserOperation] = []

    def graph(self) -> Graph:
        gateways = [
            self._program(self.names.gateway(number), Role.GATEWAY, 0)
            for number in range(self.counts.gateways)
        ]
        layers = self._tree(gateways)
        regular = [part for layer in layers for part in layer]
        deepest = len(layers) + 1
        workers = [self._worker(regular, deepest) for _ in range(self.counts.workers)]
        shared = [
            self._program(self.names.shared(), Role.SHARED, deepest)
            for _ in range(self.counts.shared)
        ]
        self._cross(layers)
        self._call_shared([*regular, *workers], shared)
        self._publish(regular, workers, deepest + 1)
        self._keep(regular, [*shared, *workers], deepest + 1)
        parts = {part.name: part for part in sorted(self.parts, key=lambda part: part.layer)}
        return Graph(self.names.brand, parts, tuple(self.operations), self.settings.load)

    def _chance(self, concern: str) -> Random:
        return Random(f"{self.settings.seed} {concern}")  # noqa: S311 - seeded, and no secret

    def _program(self, name: str, role: Role, layer: int) -> Part:
        chance = self._chance(f"language of {name}")
        languages = vocabulary()["languages"]
        weights = [languages[one]["weight"] for one in languages]
        part = Part(name, role, layer, chance.choices(list(languages), weights)[0])
        if role is not Role.GATEWAY:
            part.methods.append(self._method(part, "Get" if role is Role.SHARED else "Process"))
        self.parts.append(part)
        return part

    def _method(self, part: Part, name: str) -> Method:
        low, high = vocabulary()["languages"][part.engine]["cpu_ms"]
        drawn = self._chance(f"cost of {name} of {part.name}").uniform(low, high)
        return Method(name, cpu_ms=round(drawn, 2))

    def _tree(self, gateways: Sequence[Part]) -> list[list[Part]]:
        """Programs behind the gateways, each called by one of the layer before it."""
        chance, layers = self._chance("tree"), []
        callers = self._users(gateways, self.counts.layers[0])
        for place, size in enumerate(self.counts.layers):
            called = _dealt(callers, size, chance)
            layer = []
            for (caller, method), number in zip(callers, called, strict=True):
                for _ in range(number):
                    domain = self.domains[caller.name if place else method.name]
                    if place and chance.random() < 0.3:
                        domain = self.names.domain()
                    part = self._program(self.names.program(domain), Role.SERVICE, place + 1)
                    self.domains[part.name] = domain
                    method.calls.append(self._called(part, number, chance))
                    layer.append(part)
            layers.append(layer)
            below = self.counts.layers[place + 1] if place + 1 < len(self.counts.layers) else 0
            among = max(1, min(len(layer), round(below / self.settings.fan_out)))
            callers = [(part, part.methods[0]) for part in chance.sample(layer, among)]
        return layers

    def _called(self, part: Part, siblings: int, chance: Random) -> Call:
        """A call that every request makes, or only some; a program with one callee always calls it."""
        share = 1.0
        if siblings > 1 and part.layer > 1 and chance.random() < _SOMETIMES:
            share = round(chance.uniform(*_SHARES), 2)
        return Call(part.name, part.methods[0].name, share)

    def _users(self, gateways: Sequence[Part], below: int) -> list[tuple[Part, Method]]:
        """What users do: each at one gateway, few of it often and most of it now and then."""
        chance = self._chance("users")
        programs = sum(self.counts.layers)
        number = max(1, min(below, round(programs**0.5)))
        found = []
        for place in range(number):
            domain = self.names.domain()
            name, verb = self.names.operation(domain)
            gateway = gateways[place % len(gateways)]
            method = self._method(gateway, name)
            gateway.methods.append(method)
            if gateway is not gateways[0]:  # users come in at one place
                entered = self._method(gateways[0], name)
                entered.calls.append(Call(gateway.name, name))
                gateways[0].methods.append(entered)
            self.domains[name] = domain
            weight = round(20 / (place + 2) ** 0.7 * chance.uniform(0.8, 1.2), 1)
            action, _, what = name.partition("-")
            request = f"{verb} /api/{what}" + ("" if action in ("list", "place") else f"/{action}")
            self.operations.append(UserOperation(name, request, gateways[0].name, name, weight))
            found.append((gateway, method))
        return found

    def _worker(self, regular: Sequence[Part], layer: int) -> Part:
        chance = self._chance(f"worker {len(self.parts)}")
        domain = self.domains[chance.choice(regular).name]
        part = self._program(self.names.worker(domain), Role.WORKER, layer)
        part.methods = [self._method(part, "Handle")]
        part.methods[0].writes = True
        return part

    def _cross(self, layers: Sequence[Sequence[Part]]) -> None:
        """Lookups in other branches: who is called already is called by more."""
        chance = self._chance("crossing")
        known = {part.name: 1 for layer in layers for part in layer}
        for place, layer in enumerate(layers[:-1]):
            deeper = [part for other in layers[place + 1 :] for part in other]
            for part in layer:
                if not part.methods[0].calls or chance.random() >= _CROSSING:
                    continue
                own = {call.part for call in part.methods[0].calls}
                there = [one for one in deeper if one.name not in own]
                if not there:
                    continue
                (other,) = chance.choices(there, [known[one.name] ** 2 for one in there])
                known[other.name] += 1
                if len(other.methods) == 1:
                    other.methods.append(self._method(other, "Find"))
                share = round(chance.uniform(*_CROSSING_SHARES), 2)
                part.methods[0].calls.append(Call(other.name, "Find", share))

    def _call_shared(self, callers: Sequence[Part], shared: Sequence[Part]) -> None:
        """A few programs take most of the calls; each of them has a caller."""
        chance = self._chance("shared")
        numbers, weights = zip(*_SHARED_CALLS, strict=True)
        popularity = [1 / (place + 1) ** 1.1 for place in range(len(shared))]
        for part in callers:
            (number,) = chance.choices(numbers, weights)
            chosen = dict.fromkeys(one.name for one in chance.choices(shared, popularity, k=number))
            part.methods[0].calls += [Call(name, "Get") for name in chosen]
        called = {call.part for part in callers for call in part.methods[0].calls}
        for one in shared:
            if one.name not in called:
                chance.choice(callers).methods[0].calls.append(Call(one.name, "Get"))

    def _publish(self, regular: Sequence[Part], workers: Sequence[Part], layer: int) -> None:
        """Brokers between programs that tell of something and workers that take it."""
        chance = self._chance("queues")
        publishers = chance.sample(regular, min(len(regular), len(workers)))
        engines = _shared_out(_BROKERS, self.counts.brokers, chance)
        for number, engine in enumerate(engines):
            mine = workers[number :: self.counts.brokers]
            owner = self.domains[publishers[number % len(publishers)].name]
            name = self.names.beside(owner, "events", "stream", "bus")
            broker = Part(name, Role.BROKER, layer, engine)
            self.parts.append(broker)
            for worker in mine:
                publisher = publishers[workers.index(worker) % len(publishers)]
                topic = f"{publisher.name}.{chance.choice(('changed', 'created', 'completed'))}"
                worker.takes = publisher.methods[0].publishes = topic, name
                broker.topics.append(topic)

    def _keep(self, regular: Sequence[Part], others: Sequence[Part], layer: int) -> None:
        """Databases: for programs at the ends of the graph first; caches before those asked most."""
        chance = self._chance("stores")
        ends = [part for part in regular if not any(self._tree_calls(part))]
        inner = [part for part in regular if any(self._tree_calls(part))]
        chance.shuffle(ends)
        chance.shuffle(inner)
        owners = [*others, *ends, *inner][: self.counts.stores]
        while len(owners) < self.counts.stores:  # more databases than programs: some have no owner
            owners.append(chance.choice(owners))
        for owner, engine in zip(owners, _shared_out(_STORES, len(owners), chance), strict=True):
            name = self.names.beside(owner.name, "db")
            owner.store = owner.store or name
            self.parts.append(Part(name, Role.STORE, layer, engine))
            if owner.role is Role.SERVICE and not any(self._tree_calls(owner)):
                owner.methods[0].writes = chance.random() < 0.2
        reading = [owner for owner in owners if not owner.methods[0].writes]
        cached = [*reading, *(owner for owner in owners if owner.methods[0].writes)]
        engines = _shared_out(_CACHES, self.counts.caches, chance)
        for owner, engine in zip(cached, engines, strict=False):
            owner.cache = self.names.beside(owner.name, "cache")
            owner.hit_rate = round(chance.uniform(0.6, 0.92), 2)
            self.parts.append(Part(owner.cache, Role.CACHE, layer, engine))

    @staticmethod
    def _tree_calls(part: Part) -> list[str]:
        return [call.part for call in part.methods[0].calls if call.method == "Process"]


def _dealt(callers: Sequence[object], number: int, chance: Random) -> list[int]:
    """How many of so many each gets: at least one while there are enough, a few very many."""
    appetite = [min(chance.paretovariate(_SKEW), _MOST) for _ in callers]
    dealt = [1 if place < number else 0 for place in range(len(callers))]
    for _ in range(number - sum(dealt)):
        (place,) = chance.choices(range(len(callers)), appetite)
        dealt[place] += 1
    return dealt


def _shared_out(choices: Sequence[tuple[str, int]], number: int, chance: Random) -> list[str]:
    """So many kinds in random order, each as often as its weight says."""
    whole = sum(weight for _, weight in choices)
    found: list[str] = []
    for place in range(1, number + 1):
        missing = [(place * weight / whole - found.count(kind), kind) for kind, weight in choices]
        found.append(max(missing)[1])
    chance.shuffle(found)
    return found
