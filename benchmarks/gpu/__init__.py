"""The figures of the GPU engine: `python -m benchmarks.gpu`."""
