"""Models: trained programs in use."""
