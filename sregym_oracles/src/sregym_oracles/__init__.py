"""Toolkit for authors of SREGym oracles: checks, windows, probes, verdicts, checklist."""
