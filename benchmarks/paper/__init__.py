"""The paper's experiments: settings in (TOML), one JSON a run out, tables and figures from the JSON alone."""
