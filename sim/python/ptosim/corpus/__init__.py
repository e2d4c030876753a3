"""Many kernels at once: `ptosim compare`, and `ptosim check` of several kernels (docs/running.md)."""
