"""The paper's experiments: settings in, one JSON a run out, tables and figures from the JSON alone."""
