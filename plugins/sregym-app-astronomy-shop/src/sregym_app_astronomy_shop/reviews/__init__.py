"""Astronomy Shop whose shoppers write reviews."""
