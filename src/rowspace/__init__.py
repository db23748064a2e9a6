"""rowspace: train and audit the two ends of a language model."""
