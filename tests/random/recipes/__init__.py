"""What random models are made of."""
from recipes import contrib, control, elementwise, movement, neural, quantised, text  # noqa: F401
