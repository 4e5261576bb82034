"""What random models are made of."""
from recipes import contrib, control, elementwise, movement, neural, others, quantised, text  # noqa: F401
