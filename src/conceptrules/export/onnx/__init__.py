"""The export to ONNX: raw columns in; label, probabilities and fired rules out."""
