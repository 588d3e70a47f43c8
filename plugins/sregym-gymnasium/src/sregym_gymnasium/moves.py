"""Incidents for small policies: a fixed set of moves, observations as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary

from sregym_gymnasium.environment import TextEnv
from sregym_gymnasium.features import WordCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

Seen = dict[str, Any]


class MovesEnv(gymnasium.Env[Seen, np.int64]):
    """As `TextEnv`, but an action is the number of a move, and what came back is a vector.

    An observation has the `text` of the last answer as word counts, the moves that were `made`
    since the episode began, and `left`, the share of steps that are left.

    Args:
        moves: What can be done, as `TextEnv` takes actions.
        features: Makes a vector of a text; None for `WordCounts()`.
        max_steps: Most actions of an episode.
        render_mode: `ansi`, or None.
        options: As for `TextEnv`.

    Raises:
        ValueError: No moves were given.
        UsageError: There is no such problem, suite or mode.
    """

    # Not declared for the class: Gymnasium says that it is an instance's.
    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        moves: Sequence[str],
        *,
        features: WordCounts | None = None,
        max_steps: int = 30,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if not moves:
            msg = "MovesEnv: no moves were given; give lines such as 'kubectl get pods -n shop'"
            raise ValueError(msg)
        self.texts = TextEnv(max_steps=max_steps, render_mode=render_mode, **options)
        self.moves = tuple(moves)
        self.max_steps = max_steps
        self.render_mode = render_mode
        self._features: Callable[[str], NDArray[np.float32]]
        self._features = chosen = features or WordCounts()
        self.action_space = Discrete(len(self.moves))
        self.observation_space = Dict(
            {
                "text": chosen.space,
                "made": MultiBinary(len(self.moves)),
                "left": Box(0.0, 1.0, (1,), np.float32),
            }
        )
        self._made = np.zeros(len(self.moves), np.int8)
        self._steps = 0

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Begin an episode, as `TextEnv.reset` does; `info["text"]` is the text."""
        super().reset(seed=seed)
        text, info = self.texts.reset(seed=seed, options=options)
        self._made[:] = 0
        self._steps = 0
        return self._seen(text), {**info, "text": text}

    def step(self, action: np.int64) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Make a move; `info["text"]` is what came back."""
        text, reward, terminated, truncated, info = self.texts.step(self.moves[int(action)])
        self._made[int(action)] = 1
        self._steps += 1
        return self._seen(text), reward, terminated, truncated, {**info, "text": text}

    def render(self) -> str | None:
        """As `TextEnv.render`."""
        return self.texts.render()

    def close(self) -> None:
        """As `TextEnv.close`."""
        self.texts.close()

    def _seen(self, text: str) -> Seen:
        left = np.array([1.0 - self._steps / self.max_steps], np.float32)
        return {"text": self._features(text), "made": self._made.copy(), "left": left.clip(0, 1)}
