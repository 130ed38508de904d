"""The learner of `ConceptRuleClassifier`: a search over discrete networks."""
