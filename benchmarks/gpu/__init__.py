"""The figures of the GPU engine."""
