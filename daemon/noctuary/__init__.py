"""Keep what lasts, forget the noise: a Markdown memory for agents that works like sleep."""
