"""The version of the course and of its library."""

__version__ = "0.1.0"
