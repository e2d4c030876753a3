"""Many kernels at once: `ptosim compare`, and `ptosim check` of several kernels (sim/python/COMPARE.md)."""
