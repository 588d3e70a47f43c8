"""What an agent is told at the start of an episode."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sregym_core.interfaces import Application

_TEMPLATE = """\
You are the engineer on call for {title}.

Users report that it does not work as it should. {description}

Namespace: {namespaces}

Work in two steps, without asking back.
1. Find the root cause and submit a diagnosis: which component is responsible, what exactly is
   wrong with it and what it should be, which other components are involved or suffer, and what
   users see. Name the cause, not its symptoms.
2. Repair the cause so that the system serves its users again and keeps doing so, then submit a
   short note that you are done. Keep all workloads, their data, their probes and the load
   running; deleting or disabling things is not a repair.

You have kubectl with full access. Each submission counts once and cannot be taken back.
"""


def instruction(application: Application) -> str:
    """The text for one application: neutral, the same for every problem of it."""
    return _TEMPLATE.format(
        title=application.title,
        description=application.description.strip(),
        namespaces=", ".join(application.namespaces),
    )
