"""The model file: a network as JSON, and back."""
