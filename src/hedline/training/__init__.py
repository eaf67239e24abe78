"""Training loops, checkpoints, schedules."""
