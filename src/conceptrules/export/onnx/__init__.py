"""The export to ONNX: raw columns in; label, scores, probabilities and fired rules out."""
