"""The verification of exports: each is run in the engine that it is made for, and compared with its network.

`comparison` compares, `trial_rows` makes the rows to try, and `engine` says what the engines of the other modules do.
"""
