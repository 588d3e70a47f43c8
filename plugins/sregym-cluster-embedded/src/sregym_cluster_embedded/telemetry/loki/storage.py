"""The lines of a world's containers as a collector on each node ships them to Loki."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_kubernetes.telemetry_redaction import names_hidden
from sregym_logql.errors import LogqlError
from sregym_logql.streams import Entry, Stream
from sregym_promql.storage import Labels, labels_of

from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance, instances
from sregym_cluster_embedded.telemetry.logs import output_streams, written
from sregym_cluster_embedded.telemetry.loki.audit import audit_stream
from sregym_cluster_embedded.telemetry.object_history import Past

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_promql.storage import Matcher

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_NS = 1_000_000_000
# Of one question, and what a line is taken to have.
_MOST_LINES = 2_000_000
_LINE_BYTES = 200
_STREAMS = ("stderr", "stdout")
# What Deployments, DaemonSets and Jobs append to the name of what makes their pods.
_HASH = re.compile(r"-[0-9a-f]{6,10}$")
# Where the name of the application stands, the first of them counts.
_APP_LABELS = ("app.kubernetes.io/name", "app")


class WorldLogs:
    """Implements `Storage`: every line that any container wrote since the world began.

    Streams have the labels that the collectors of Loki's charts give them: `namespace`, `pod`,
    `container`, `app`, `node_name`, `job`, `stream`, `service_name`. Lines are rendered for the
    span that is asked for, and are those of `kubectl logs`; unlike there none are rotated away.

    Args:
        world: The world of the containers. One object serves one question: it remembers labels.
        without: Words: containers with one of them for a label are not there.
    """

    def __init__(self, world: World, without: frozenset[str] = frozenset()) -> None:
        self._world = world
        self._without = without
        self._past = Past(world)
        self._known: dict[Labels, list[ContainerInstance]] | None = None

    def select(self, matchers: Sequence[Matcher], start_ns: int, end_ns: int) -> Sequence[Stream]:
        """The streams that all matchers select, with their lines of the span."""
        epoch_ns = self._world.epoch * _NS
        # A microsecond more on both sides: virtual seconds are floats.
        first, last = (start_ns - epoch_ns) / _NS - 1e-6, (end_ns - epoch_ns) / _NS + 1e-6
        chosen = [*self._chosen(matchers)]
        self._check_size(
            [instance for base, _ in chosen for instance in self._instances()[base]], first, last
        )
        found: list[Stream] = []
        for base, streams in chosen:
            entries: dict[str, list[Entry]] = {stream: [] for stream in streams}
            for instance in self._instances()[base]:
                if instance.process.started_at > last or instance.ended(self._world.now) < first:
                    continue
                for line in written(self._world, instance, first, last):
                    at_ns = epoch_ns + round(line.at * _NS)
                    if start_ns <= at_ns <= end_ns and line.stream in entries:
                        entries[line.stream].append(Entry(at_ns, line.text))
            found.extend(
                Stream(labels_of((*base, ("stream", stream))), lines)
                for stream, lines in entries.items()
                if lines
            )
        found += audit_stream(self._world, matchers, start_ns, end_ns, self._without)
        return sorted(found, key=lambda stream: stream.labels)

    def label_sets(self, matchers: Sequence[Matcher], start_ns: int, end_ns: int) -> list[Labels]:
        """The labels of the streams whose containers lived in the span; renders no line."""
        epoch_ns = self._world.epoch * _NS
        first, last = (start_ns - epoch_ns) / _NS, (end_ns - epoch_ns) / _NS
        found: set[Labels] = set()
        for base, streams in self._chosen(matchers):
            written_to: set[str] = set()
            for instance in self._instances()[base]:
                if instance.process.started_at <= last and instance.ended(self._world.now) >= first:
                    written_to.update(output_streams(self._world, instance))
            chosen = (stream for stream in streams if stream in written_to)
            found.update(labels_of((*base, ("stream", stream))) for stream in chosen)
        audited = audit_stream(self._world, matchers, start_ns, end_ns, self._without)
        return sorted(found | {stream.labels for stream in audited})

    def span_ns(self) -> tuple[int, int]:
        """From the beginning of the world to now."""
        now = self._world.now
        return self._world.epoch * _NS, self._world.epoch * _NS + round(now * _NS)

    def _check_size(self, selected: Sequence[ContainerInstance], first: float, last: float) -> None:
        """Refuse to render more lines than fit into the memory of a querier.

        Raises:
            LogqlError: There would be more.
        """
        lines = 0.0
        for instance in selected:
            ended = instance.ended(self._world.now)
            ends = [segment.start for segment in instance.served[1:]] + [ended]
            for segment, end in zip(instance.served, ends, strict=False):
                length = min(end, ended, last) - max(segment.start, first)
                lines += sum(stream.rate for stream in segment.lines) * max(length, 0.0)
        if lines > _MOST_LINES:
            message = (
                f"the query would read too many bytes (query: {_megabytes(lines)}, limit: "
                f"{_megabytes(_MOST_LINES)}); consider adding more specific stream selectors or "
                "reduce the time range of the query"
            )
            raise LogqlError(message)

    def _chosen(self, matchers: Sequence[Matcher]) -> Iterator[tuple[Labels, tuple[str, ...]]]:
        """Containers by their labels, each with the output streams that are selected."""
        for base in self._instances():
            labels = dict(base)
            others = [matcher for matcher in matchers if matcher.name != "stream"]
            if all(matcher.matches(labels.get(matcher.name, "")) for matcher in others):
                wanted = [matcher for matcher in matchers if matcher.name == "stream"]
                streams = tuple(s for s in _STREAMS if all(m.matches(s) for m in wanted))
                if streams:
                    yield base, streams

    def _instances(self) -> dict[Labels, list[ContainerInstance]]:
        if self._known is None:
            self._known = {}
            for instance in instances(self._world):
                labels = self._labels(instance)
                if self._without and any(names_hidden(value, self._without) for _, value in labels):
                    continue
                self._known.setdefault(labels, []).append(instance)
            for several in self._known.values():
                several.sort(key=lambda instance: instance.process.started_at)
        return self._known

    def _labels(self, instance: ContainerInstance) -> Labels:
        ref = instance.ref
        app = _app(self._pod(instance)) or ref.pod
        return labels_of(
            {
                "app": app,
                "container": ref.name,
                "job": f"{ref.namespace}/{app}",
                "namespace": ref.namespace,
                "node_name": instance.process.config.node,
                "pod": ref.pod,
                "service_name": app,
            }
        )

    def _pod(self, instance: ContainerInstance) -> Object | None:
        ref = instance.ref
        key = Key("pods", ref.namespace, ref.pod)
        present = self._world.store.get(key)
        if present is not None and present["metadata"]["uid"] == ref.pod_uid:
            return present
        versions = (version.obj for version in self._past.one(key).versions)
        known = [obj for obj in versions if obj and obj["metadata"]["uid"] == ref.pod_uid]
        return known[-1] if known else None


def _megabytes(lines: float) -> str:
    return f"{lines * _LINE_BYTES / 1e6:.0f} MB"


def _app(pod: Object | None) -> str:
    if pod is None:
        return ""
    metadata = pod["metadata"]
    labels = metadata.get("labels") or {}
    for name in _APP_LABELS:
        if labels.get(name):
            return str(labels[name])
    for owner in metadata.get("ownerReferences") or ():
        if owner.get("controller"):
            return _HASH.sub("", str(owner["name"]))
    return ""
