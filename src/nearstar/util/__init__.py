"""What everything else stands on, and what knows nothing of it."""
