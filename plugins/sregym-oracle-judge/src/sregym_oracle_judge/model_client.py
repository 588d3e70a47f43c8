"""The language model that judges: its options, its client, and the limits of a request."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.errors import UsageError
from sregym_core.model import ModelUsage

from sregym_oracle_judge.prompt import VERSION, instructions
from sregym_oracle_judge.verdict_schema import ModelAnswers

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from pydantic_ai.models import Model

# How often a model whose answers are not valid is asked to mend them.
RETRIES = 2
# So long a model may take for one root cause, with what its client tries again.
PATIENCE_S = 300.0
_PROVIDERS = ("openai", "anthropic")
_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}


class JudgeFailedError(Exception):
    """The provider refused, did not answer, or its model gave no valid answers; the text says which."""


@dataclass(frozen=True)
class ModelClient:
    """A language model and where it is.

    Attributes:
        protocol: `openai` or `anthropic`.
        model: Its name there.
        base_url: Of the server; empty for that of the provider.
        temperature: At which it answers; None leaves that to it, as some models demand.
        patience_s: How many seconds it may take for one root cause.
        key: Of the server; local ones need none.
        price: USD for a million tokens in and out; None takes the provider's own prices.
    """

    protocol: str
    model: str
    base_url: str = ""
    temperature: float | None = 0.0
    patience_s: float = PATIENCE_S
    key: str = field(default="", repr=False)
    price: tuple[float, float] | None = None

    OPTIONS: ClassVar[tuple[str, ...]] = (
        "model",
        "base_url",
        "api_key_env",
        "temperature",
        "timeout_s",
        "price",
    )

    @classmethod
    def of(cls, options: Mapping[str, str]) -> ModelClient:
        """The model of the options `model`, `base_url`, `api_key_env`, `temperature`, `timeout_s` and `price`.

        Raises:
            UsageError: There is none, nobody can tell whose it is, or a value does not fit.
        """
        given = options.get("model", "")
        protocol, _, name = given.partition(":")
        if protocol not in _PROVIDERS or not name:
            msg = (
                f"oracle 'judge': option 'model' is {given!r}; it needs the protocol and a name: "
                "judge:model=openai:NAME or judge:model=anthropic:NAME, with base_url=http://... for a "
                "server of your own"
            )
            raise UsageError(msg)
        variable = options.get("api_key_env", _KEYS[protocol])
        key = os.environ.get(variable, "")
        if not key and not options.get("base_url"):
            msg = (
                f"oracle 'judge': variable {variable} is empty, and {protocol} wants a key; set it, name "
                "another with api_key_env=VARIABLE, or give base_url=http://... for a server of your own"
            )
            raise UsageError(msg)
        temperature = _temperature(options.get("temperature", "0"))
        patience_s = _seconds(options.get("timeout_s", str(PATIENCE_S)))
        price = _prices(options["price"]) if "price" in options else None
        return cls(protocol, name, options.get("base_url", ""), temperature, patience_s, key, price)

    @property
    def id(self) -> str:
        """What tells it from other models."""
        at = f" at {self.base_url}" if self.base_url else ""
        return f"{self.protocol}:{self.model}{at}, temperature {self.temperature}"

    def ask(self, question: str) -> tuple[ModelAnswers, ModelUsage]:
        """Its answers, and what they cost.

        Raises:
            JudgeFailedError: There are none.
        """
        return asyncio.run(self._ask(question))

    async def _ask(self, question: str) -> tuple[ModelAnswers, ModelUsage]:
        from pydantic_ai import Agent, ToolOutput
        from pydantic_ai.exceptions import AgentRunError, UserError
        from pydantic_ai.settings import ModelSettings

        settings = (
            ModelSettings()
            if self.temperature is None
            else ModelSettings(temperature=self.temperature)
        )
        try:
            async with self._opened() as model:
                agent = Agent(
                    model,
                    output_type=ToolOutput(ModelAnswers, name="answers"),
                    instructions=instructions(),
                    model_settings=settings,
                    retries=RETRIES,
                )
                async with asyncio.timeout(self.patience_s):
                    result = await agent.run(question)
        except TimeoutError as error:
            msg = (
                f"model {self.model!r} did not judge: no answer within {self.patience_s:g} s; "
                "judge again later, or allow more with timeout_s=SECONDS"
            )
            raise JudgeFailedError(msg) from error
        except (AgentRunError, UserError) as error:
            message = " ".join(str(error).split())
            raise JudgeFailedError(f"model {self.model!r} did not judge: {message}") from error
        return result.output, self._usage(result)

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[Model]:
        """The model, with its connections closed at the end."""
        # Local servers want no key, the clients want one.
        key = self.key or ("none" if self.base_url else None)
        if self.protocol == "openai":
            from openai import AsyncOpenAI
            from pydantic_ai.models.openai import OpenAIChatModel
            from pydantic_ai.providers.openai import OpenAIProvider

            async with AsyncOpenAI(base_url=self.base_url or None, api_key=key) as client:
                yield OpenAIChatModel(self.model, provider=OpenAIProvider(openai_client=client))
            return
        from anthropic import AsyncAnthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        async with AsyncAnthropic(base_url=self.base_url or None, api_key=key) as claude:
            yield AnthropicModel(self.model, provider=AnthropicProvider(anthropic_client=claude))

    def _usage(self, result: Any) -> ModelUsage:
        used = result.usage
        return ModelUsage(
            model=f"{self.protocol}:{self.model}",
            prompt_version=VERSION,
            requests=used.requests,
            prompt_tokens=used.input_tokens,
            completion_tokens=used.output_tokens,
            cost_usd=self._cost(result),
        )

    def _cost(self, result: Any) -> float | None:
        if self.price is None:
            return _price(result.all_messages())
        used = result.usage
        cost: float = used.input_tokens * self.price[0] + used.output_tokens * self.price[1]
        return cost / 1e6


def _price(messages: Any) -> float | None:
    """What all answers cost; None where the price of one is not known."""
    total = 0.0
    for message in messages:
        if message.kind != "response":
            continue
        try:
            total += float(message.cost().total_price)
        except (LookupError, ValueError, AssertionError):
            return None
    return total


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds < inf:
        msg = (
            f"oracle 'judge': option 'timeout_s' is {text!r}; expected a number of seconds above 0"
        )
        raise UsageError(msg)
    return seconds


def _prices(text: str) -> tuple[float, float]:
    try:
        into, out = (float(part) for part in text.split("/"))
    except ValueError:
        into = out = -1.0
    if not (0.0 <= into < inf and 0.0 <= out < inf):
        msg = (
            f"oracle 'judge': option 'price' is {text!r}; expected USD for a million tokens in and out, "
            "like 0.15/0.60"
        )
        raise UsageError(msg)
    return into, out


def _temperature(text: str) -> float | None:
    if text == "none":
        return None
    try:
        return float(text)
    except ValueError:
        msg = f"oracle 'judge': option 'temperature' is {text!r}; expected a number, or none to leave it to the model"
        raise UsageError(msg) from None
