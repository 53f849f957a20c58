"""The distiller that asks a model, on any OpenAI-compatible server that a profile names."""
