"""The engine: programs lowered to instruction tables, and the native loops that run them."""
