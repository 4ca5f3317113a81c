"""The language: programs as values, what they mean, how they print."""
