"""Proof that an export decides as its network does, by running it in the engine that it is made for."""
