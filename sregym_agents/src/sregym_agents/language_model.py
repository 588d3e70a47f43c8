"""Language models for agents in Python, through pydantic-ai (extra `models`).

The library is imported when an episode begins: listings do not wait for it.
"""

from __future__ import annotations

import os
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from pydantic_ai import Agent as Conversation
    from pydantic_ai import Tool as ModelTool
    from pydantic_ai.models import Model
    from sregym_core.interfaces import Session, Tool, ToolResult

# In which variables the library looks for the key of a provider; any of them is enough.
_KEYS: Mapping[str, tuple[str, ...]] = {
    "openai": ("OPENAI_API_KEY",),
    "openai-chat": ("OPENAI_API_KEY",),
    "openai-responses": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "google-gla": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "groq": ("GROQ_API_KEY",),
    "mistral": ("MISTRAL_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
}


@dataclass(frozen=True)
class LanguageModel:
    """Which model, and where.

    Attributes:
        name: With its provider in front (`openai:...`) where there is no base_url.
        base_url: Of an OpenAI-compatible server; empty for a provider's own.
        key: Of that server; local ones need none.
    """

    name: str
    base_url: str = ""
    key: str = field(default="", repr=False)

    OPTIONS: ClassVar[tuple[str, ...]] = ("model", "base_url", "api_key_env")

    @classmethod
    def of(cls, agent: str, options: Mapping[str, str]) -> LanguageModel:
        """The model of the options `model`, `base_url` and `api_key_env`.

        Raises:
            UsageError: There is none, or its vendor is not known.
        """
        name, base_url = options.get("model", ""), options.get("base_url", "")
        if not name:
            msg = f"agent {agent!r} needs a model: --agent-option model=openai:NAME, or model=NAME with base_url=http://..."
            raise UsageError(msg)
        if not base_url and ":" not in name:
            msg = f"agent {agent!r} cannot tell whose model {name!r} is: put the provider in front (openai:{name}) or give base_url"
            raise UsageError(msg)
        return cls(name, base_url, os.environ.get(options.get("api_key_env", "OPENAI_API_KEY"), ""))

    def missing(self, options: Mapping[str, str]) -> str:
        """Which variable with the provider's key is not set, in words; empty when none is missed.

        Args:
            options: From which the model was made.
        """
        named = options.get("api_key_env", "")
        wanted = _KEYS.get(self.name.partition(":")[0], ()) if not self.base_url else ()
        if named:
            wanted = (named,)
        if not wanted or any(os.environ.get(variable) for variable in wanted):
            return ""
        return f"the key of its provider: set {' or '.join(wanted)}"

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Model | str]:
        """The model for a conversation, with its connections closed at the end."""
        if not self.base_url:
            yield self.name
            return
        from openai import AsyncOpenAI
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        # Local servers want no key, the client wants one.
        async with AsyncOpenAI(base_url=self.base_url, api_key=self.key or "none") as client:
            yield OpenAIChatModel(self.name, provider=OpenAIProvider(openai_client=client))


async def converse(
    session: Session,
    conversation: Conversation[None, str],
    prompt: str,
    said: Sequence[Any],
    over: Callable[[], bool],
) -> list[Any]:
    """Turns until the model stops by itself or `over()` holds; returns all text.

    Tokens are counted and words kept in the session.
    """
    from pydantic_ai.usage import UsageLimits

    # The session has limits of its own; the library's would end an episode without its knowledge.
    endless = UsageLimits(request_limit=None)
    async with conversation.iter(prompt, message_history=said, usage_limits=endless) as turns:
        async for node in turns:
            answer = getattr(node, "model_response", None)
            if answer is not None:
                usage = answer.usage
                session.note_tokens(
                    usage.input_tokens, usage.output_tokens, usage.cache_read_tokens
                )
                session.note_message(text_of(answer))
            if over():
                break
        return list(turns.all_messages())


def text_of(answer: Any) -> str:
    """The words in a model's answer, without its calls."""
    return "\n".join(part.content for part in answer.parts if part.part_kind == "text")


def model_tool(
    tool: Tool, call: Callable[[str, Mapping[str, object]], ToolResult]
) -> ModelTool[Any]:
    """A tool as the model is offered it; `call` does what it requests."""
    from pydantic_ai import Tool as ModelTool

    async def use(**arguments: Any) -> str:
        # Not in a thread: sessions are used from one, and this is the one.
        return call(tool.name, arguments).text

    return ModelTool.from_schema(
        use, tool.name, tool.description, dict(tool.parameters), sequential=True
    )
