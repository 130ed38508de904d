"""The kernels of the MLLP: `none_of`, its gradient and an epoch of training, on a CPU and on a GPU."""
