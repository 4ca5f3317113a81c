"""Compiled loops over blocks of data."""
