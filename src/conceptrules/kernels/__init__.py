"""`none_of`, its gradient and an epoch of training: reference.py defines them, cpu.py is the fast version."""
