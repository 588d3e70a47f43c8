"""Whether what an update says of the users was so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sregym_mode_on_call.resources import Post

# Users are served where so much less succeeds at most as in the healthy system.
MARGIN = 0.01
_OVER = re.compile(
    r"\b(resolved|recovered|fixed|mitigated|restored|back to normal|all clear|healthy again)\b"
)
_NOT_YET = re.compile(r"\b(not|never|isn't|aren't|until|once|when|if|will be|to be)\b[^.;!?]*$")
_LASTS = re.compile(
    r"\b(investigating|ongoing|outage|degraded|failing|down|still broken|not resolved|not fixed)\b"
)


def truth_of(post: Post, usual: float) -> str:
    """Whether what an update says of the users was so: `true`, `false` or `undecided`.

    Args:
        post: The update, with what users saw at that moment.
        usual: Share of requests that succeeds in the healthy system.
    """
    if post.served is None:
        return "undecided"
    text = post.text.lower()
    over = any(not _NOT_YET.search(text[: found.start()]) for found in _OVER.finditer(text))
    lasts = _LASTS.search(text) is not None
    if over == lasts:
        return "undecided"
    return "true" if over == (post.served >= usual - MARGIN) else "false"
