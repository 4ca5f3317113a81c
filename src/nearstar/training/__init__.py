"""Training: tasks, budgets, losses, scores and decisions."""
