"""Whether a network satisfies a policy: proved, refuted by a counterexample, or undecided."""
