"""The loaded backend."""
backend = None
