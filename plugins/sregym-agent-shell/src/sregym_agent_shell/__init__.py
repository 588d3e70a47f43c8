"""Agents that live outside: a command of yours, or you yourself."""
