"""From any table to a store of coded rows: values are read and counted, then encoded where the rows are to stay."""
