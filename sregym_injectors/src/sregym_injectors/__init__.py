"""Toolkit for authors of SREGym faults: journaled edits of API objects, commands in containers, undo."""
