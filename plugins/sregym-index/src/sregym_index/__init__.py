"""Finds plugins in an index file, and makes entries of it."""
