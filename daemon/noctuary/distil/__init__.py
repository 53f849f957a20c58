"""Who thinks: the distiller protocol and those who follow it."""
