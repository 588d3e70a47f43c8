"""What one listing of everything shows: objects, events, alerts and error lines of logs.

`look(session)` lists, `SHORTCUTS` are guesses that need no knowledge of the trade, `SIGNALS` are the
sources in which a component can look abnormal; `is_green` says whether Kubernetes looks healthy.
"""

from __future__ import annotations

from sregym_agents.survey.audited import AUDITED
from sregym_agents.survey.green import is_green
from sregym_agents.survey.listed import Listing, LogLine
from sregym_agents.survey.listing import list_everything
from sregym_agents.survey.shortcuts import AGES, SHORTCUTS, SYMPTOMS, Shortcut
from sregym_agents.survey.signals import SIGNALS

__all__ = [
    "AGES",
    "AUDITED",
    "SHORTCUTS",
    "SIGNALS",
    "SYMPTOMS",
    "Listing",
    "LogLine",
    "Shortcut",
    "is_green",
    "list_everything",
]
