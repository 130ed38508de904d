"""Every export in its real engine against the network, and scoring at size: `python -m benchmarks.exports`.

| file | what it does |
|---|---|
| `comparison.py` | a network of two levels for each data set, in every engine: rows, mismatches, seconds |
| `hostile.py` | a network whose names are made to break out of whatever they are written into |
| `size.py` | ten million rows: `conceptrules predict` against DuckDB with the SQL export, in time and in memory |
| `in_duckdb.py` | the process that runs DuckDB |
| `report.py` | the tables, and the records in `benchmarks/records/` |
"""
