"""Astronomy Shop with a stream of orders for the warehouse."""
