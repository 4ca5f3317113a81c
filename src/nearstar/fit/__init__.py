"""From data and settings to a model."""
