"""Notes that are kept in a Redis on a volume: what runs where a store from Debian is the whole application."""
