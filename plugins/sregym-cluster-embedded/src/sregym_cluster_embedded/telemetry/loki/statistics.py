"""What Loki tells of the work that a question was: lines and bytes looked at, and how long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_logql.streams import Storage, Stream
    from sregym_promql.storage import Matcher

# A question takes so long by itself, and so much longer for each line.
_QUESTION_S, _LINE_S = 0.0021, 3.5e-6
_CHUNK = (
    *("headChunkBytes", "headChunkLines", "decompressedBytes", "decompressedLines"),
    *("compressedBytes", "totalDuplicates", "postFilterLines"),
    *("headChunkStructuredMetadataBytes", "decompressedStructuredMetadataBytes"),
)
_CACHED = (
    *("entriesFound", "entriesRequested", "entriesStored", "bytesReceived", "bytesSent"),
    *("requests", "downloadTime", "queryLengthServed"),
)
_CACHES = (
    *("chunk", "index", "result", "statsResult", "volumeResult", "seriesResult", "labelResult"),
    "instantMetricResult",
)


class Counted:
    """Implements `Storage`, and counts what it gives.

    Args:
        storage: Where lines come from.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self.streams = 0
        self.lines = 0
        self.size = 0

    def select(self, matchers: Sequence[Matcher], start_ns: int, end_ns: int) -> Sequence[Stream]:
        """The streams of the storage."""
        found = self._storage.select(matchers, start_ns, end_ns)
        self.streams = max(self.streams, len(found))
        self.lines += sum(len(stream.entries) for stream in found)
        self.size += sum(len(line) for stream in found for _, line in stream.entries)
        return found


class _Nothing:
    """A storage without lines."""

    def select(self, matchers: Sequence[Matcher], start_ns: int, end_ns: int) -> Sequence[Stream]:
        """None."""
        return ()


# Where what is asked about is not read from lines.
NOTHING = _Nothing()


def statistics(seen: Counted, returned: int) -> dict[str, Any]:
    """`stats` of an answer with so many entries; all lines come from the ingester's memory."""
    took_s = _QUESTION_S + seen.lines * _LINE_S
    summary = {
        "bytesProcessedPerSecond": round(seen.size / took_s),
        "linesProcessedPerSecond": round(seen.lines / took_s),
        "totalBytesProcessed": seen.size,
        "totalLinesProcessed": seen.lines,
        "execTime": round(took_s, 6),
        "queueTime": 0.000112,
        "subqueries": 0,
        "totalEntriesReturned": returned,
        "splits": 1,
        "shards": 0,
        "totalPostFilterLines": seen.lines,
        "totalStructuredMetadataBytesProcessed": 0,
    }
    ingester = {
        "totalReached": 1,
        "totalChunksMatched": seen.streams,
        "totalBatches": int(bool(seen.lines)),
        "totalLinesSent": returned,
        "store": _store(headChunkBytes=seen.size, headChunkLines=seen.lines, postFilterLines=seen.lines),
    }  # fmt: skip
    return {
        "summary": summary,
        "querier": {"store": _store()},
        "ingester": ingester,
        "cache": {name: dict.fromkeys(_CACHED, 0) for name in _CACHES},
        "index": {
            "totalChunks": 0,
            "postFilterChunks": 0,
            "shardsDuration": 0,
            "usedBloomFilters": False,
        },
    }


def _store(**chunk: int) -> dict[str, Any]:
    return {
        "totalChunksRef": 0,
        "totalChunksDownloaded": 0,
        "chunksDownloadTime": 0,
        "queryReferencedStructuredMetadata": False,
        "chunk": {name: chunk.get(name, 0) for name in _CHUNK},
        "chunkRefsFetchTime": 0,
        "congestionControlLatency": 0,
        "pipelineWrapperFilteredLines": 0,
    }
