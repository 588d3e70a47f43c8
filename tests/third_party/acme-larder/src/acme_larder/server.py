"""How a Larder behaves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_apps.model import Line
from sregym_cluster_embedded.sdk.servers import (
    WRITING,
    DataFile,
    Refusal,
    StoreKind,
    invalidate_traffic,
    process_of,
    storage,
    write_log,
)

from acme_larder.data import Document, Shelves, load, store

if TYPE_CHECKING:
    from sregym_apps.model import Client
    from sregym_cluster_embedded.sdk.servers import DiskProblem, Process, World

    from acme_larder.program import LarderProgram


class Larder(StoreKind):
    """larderd 3.1."""

    taken = ("FATAL port {port} is taken", 98)

    def version(self, program: LarderProgram, words: list[str]) -> str:
        """One line."""
        return "larderd 3.1 (acme)\n"

    def ready_lines(self, process: Process, program: LarderProgram) -> tuple[Line, ...]:
        """What it writes once it serves."""
        return (Line(text="open", fields={"port": program.port, "dir": program.data_dir}),)

    def data_file(self, process: Process, program: LarderProgram) -> DataFile | None:
        """The file of all shelves."""
        mount = process.config.mounts.get(program.data_dir)
        return None if mount is None else DataFile(mount.volume, program.data_dir, "shelves.ldb")

    def withstands(self, trouble: DiskProblem, file: DataFile, collection: str, write: bool) -> str:
        """Reads come from memory; what cannot be written is refused."""
        return f"cannot write {file.name}: {trouble.words}" if write else ""

    def seed(
        self,
        world: World,
        process: Process,
        client: Client,
        collection: str,
        documents: int,
        record: str = "",
    ) -> None:
        """Fill a shelf."""
        kept = self._kept(world, process)
        shelves = load(world, kept)
        if collection not in shelves.seeded:
            store(world, kept, replace(shelves, seeded={**shelves.seeded, collection: documents}))

    def command(
        self,
        world: World,
        process: Process,
        program: LarderProgram,
        client: Client,
        command: str,
        collection: str,
        dialled: bool,
    ) -> Refusal | None:
        """Documents beyond the limit are refused."""
        if command in WRITING:
            shelves = load(world, self._kept(world, process))
            if self._full(shelves, program):
                return Refusal("server", self._no_room(shelves, program))
        return None

    def talk(self, world: World, process: Process, program: LarderProgram, text: str) -> str:
        """One answer for each line."""
        return "".join(
            f"{self._answer(world, process, program, line.split(maxsplit=3))}\n"
            for line in text.splitlines()
        )

    def _answer(
        self, world: World, process: Process, program: LarderProgram, words: list[str]
    ) -> str:
        kept = self._kept(world, process)
        shelves = load(world, kept)
        match [word.upper() for word in words[:1]] + words[1:]:
            case ["GET", name]:
                found = shelves.documents.get(name)
                return f"+{found.text}" if found else "-NONE"
            case ["PUT", name, seconds, text] if "/" in name and seconds.isdecimal():
                if name not in shelves.documents and self._full(shelves, program):
                    return f"-{self._no_room(shelves, program)}"
                until = world.now + int(seconds) if int(seconds) else None
                documents = {**shelves.documents, name: Document(text, until)}
                store(world, kept, replace(shelves, documents=documents))
                return "+OK"
            case ["COUNT"]:
                return f"+{shelves.count}"
            case ["LIMIT"]:
                return f"+{self._limit(shelves, program)}"
            case ["LIMIT", number] if number.isdecimal() or number == "default":
                limit = int(number) if number.isdecimal() else None
                store(world, kept, replace(shelves, limit=limit))
                line = Line(text="limit set", level="warn", fields={"documents": number})
                write_log(world, process.ref, program, (line,))
                # Who writes may be refused from now on, or no more.
                invalidate_traffic(world)
                return "+OK"
        return "-WHAT"

    def _kept(self, world: World, process: Process) -> str:
        process = process_of(world, process.ref) or process
        program = process.behaviour
        return storage(world, process, getattr(program, "data_dir", "/"))

    def _limit(self, shelves: Shelves, program: LarderProgram) -> int:
        return program.limit if shelves.limit is None else shelves.limit

    def _full(self, shelves: Shelves, program: LarderProgram) -> bool:
        return shelves.count >= self._limit(shelves, program)

    def _no_room(self, shelves: Shelves, program: LarderProgram) -> str:
        return f"507 no room: {shelves.count} of {self._limit(shelves, program)} documents"
