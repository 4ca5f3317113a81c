"""Settings of all tests."""

from hypothesis import HealthCheck, settings

# Compiling the engine, once, must not count as a slow example; machines are shared and noisy.
settings.register_profile(
    "nearstar", deadline=None, suppress_health_check=list(HealthCheck), print_blob=True
)
settings.load_profile("nearstar")
