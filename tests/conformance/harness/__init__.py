"""Replays recordings of a real cluster against an embedded one and counts what matches."""
