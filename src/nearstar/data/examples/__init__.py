"""Example data, made up or real."""
