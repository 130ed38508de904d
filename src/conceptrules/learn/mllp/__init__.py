"""The learner of `MLLPClassifier`: gradient descent under Random Binarization, then extraction."""
