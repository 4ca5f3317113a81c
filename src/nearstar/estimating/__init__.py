"""Parts of the scikit-learn estimator: what it is given, and what it gives back."""
