"""From a laptop to a cluster: `python -m benchmarks.scale NAME`, where NAME is a module of this folder."""
