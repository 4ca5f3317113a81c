"""Readers of data files, one for each format."""
