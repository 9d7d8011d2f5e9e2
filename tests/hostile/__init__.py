"""Functions, modules, inputs and files that misbehave; nothing of the user's may change."""
