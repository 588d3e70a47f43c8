"""The tools of a session: what they are called with, and what a language model reads of them.

Responses are made for models: one line an item, common parts said once, times in UTC, numbers
short, and pages instead of floods. Whatever is cut says so and how to see the rest. Nothing here
knows budgets or records; the session adds them.
"""

from __future__ import annotations
