"""Tables as files: reading, writing, streaming, and what is wrong with a file."""
