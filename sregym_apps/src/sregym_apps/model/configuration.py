"""What a program reads when it starts."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, GetJsonSchemaHandler, ValidationInfo, model_validator

from sregym_apps.model.base import Entry, Text
from sregym_apps.model.building_blocks import installed_in, log_format
from sregym_apps.model.program_capacity import ErrorKind


class Setting(Entry):
    """One value that a program reads; the first source that has it wins: flag, env, file, default.

    Attributes:
        flag: Command-line flag without dashes: `--name=v`, `-name v` and `-name=v` all count.
        argument: Position among the arguments that are no flags, from 0.
        env: Environment variable.
        file: File that holds it, absolute or relative to the working directory.
        key: Key in that file, dotted for nested ones; without it the whole content, stripped. Files
            are JSON, or YAML, lines of `key=value` or sections of them as their names end. Of a
            variable: part of the connection string that it holds, see `value_in`.
        type: What the text must be. A value of another type is as good as none.
        default: Used when no source has a value. Without default the setting is required, and
            a `require` step defines what its absence does.
    """

    flag: str | None = None
    argument: int | None = Field(default=None, ge=0)
    env: str | None = None
    file: str | None = None
    key: str | None = None
    type: Literal["text", "integer", "number", "boolean"] = "text"
    default: Text | None = None

    @model_validator(mode="after")
    def _has_a_source(self) -> Setting:
        if self.key is not None and self.file is None and self.env is None:
            raise ValueError("'key' needs the 'file' or the variable 'env' it stands in")
        sources = (self.flag, self.argument, self.env, self.file, self.default)
        if all(source is None for source in sources):
            raise ValueError("a setting needs a flag, argument, env, file or default")
        return self


def _known(name: str, info: ValidationInfo) -> str:
    return log_format(name, installed_in(info))


# A generic format, or one that an installed extension offers.
LogFormat = Annotated[str, AfterValidator(_known)]


class Log(Entry):
    """How a program writes its lines.

    Attributes:
        format: `plain`: the text alone; `zerolog-console`, `zerolog-json`, `go-log` (date and
            time of Go's log package), `json` (time, level, msg), `logfmt`,
            `nginx` (access lines: the text is the request, the fields `client`,
            `user`, `status`, `bytes`, `referer`, `agent` the rest), `log4j` and `spring-boot` (the
            caller is the logger, a field `thread` the thread), `klog`,
            `zap` (JSON with seconds since 1970), `haproxy` and `envoy` (lines about requests; the text is what
            follows the time), `boost` (Boost.Log of C++: time, level, caller), `slog` (JSON of Go),
            `pino` (JSON of Node), `dotnet` (console of .NET: the caller is the category), `monolog` (PHP),
            `env-logger` (Rust), `python` (logging, with the trace); others come with the kinds of
            servers that are installed.
        stream: Where lines go that name no stream.
        colour: Whether a console format has ANSI colours.
    """

    format: LogFormat = "plain"
    stream: Literal["stdout", "stderr"] = "stdout"
    colour: bool = False


class Line(Entry):
    """One line of log; written as a bare text in YAML when only the text matters.

    Attributes:
        text: The text; `${error}` and the like are filled in.
        level: trace, debug, info, warn, error, fatal or panic.
        stream: Overrides the stream of the program.
        format: Overrides the format of the program.
        raw: Written as it is, whatever the format (a stack trace, a banner). May hold several
            lines.
        caller: `file.go:line` for formats that show it.
        fields: Further fields for formats that have them.
        share: Fraction of requests that write it, for lines of operations.
        kinds: Kinds of failure for which it is written, for lines of `on_error`; all when empty.
    """

    text: Text
    level: Literal["trace", "debug", "info", "warn", "error", "fatal", "panic"] = "info"
    stream: Literal["stdout", "stderr"] | None = None
    format: LogFormat | None = None
    raw: bool = False
    caller: str = ""
    fields: dict[str, Text] = Field(default_factory=dict)
    share: float = Field(default=1.0, ge=0, le=1)
    kinds: tuple[ErrorKind, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: object) -> object:
        return {"text": value} if isinstance(value, str) else value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: Any, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """A line, or its text alone."""
        return {"anyOf": [{"type": "string"}, handler(core_schema)]}


class Memory(Entry):
    """Working set of a process.

    Attributes:
        base_mib: After start-up without load; a number or a setting. It is reached at the first
            listener at the latest.
        ramp_s: Seconds in which it is reached, linearly; the limit may be met on the way.
        loaded_share: Of `base_mib`, held as soon as the process runs: its code and its runtime.
            None: half of it, or nothing when a `grow` step takes the memory.
        per_rps_kib: Added for each request per second.
        per_request_kib: Added for each request in flight, those that wait included.
        leak_mib_per_hour: Added as time goes by.
    """

    base_mib: Text = "16"
    ramp_s: float = Field(default=0.5, ge=0)
    loaded_share: float | None = Field(default=None, ge=0, le=1)
    per_rps_kib: float = Field(default=0, ge=0)
    per_request_kib: float = Field(default=0, ge=0)
    leak_mib_per_hour: float = Field(default=0, ge=0)
