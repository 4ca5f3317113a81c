"""What a run found."""
