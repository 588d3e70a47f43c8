"""Neighbours of pods on a node that take processors, memory, disk, page cache or network."""
