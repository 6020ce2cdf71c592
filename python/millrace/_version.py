"""The version of the package, which the build backend reads too."""

__version__ = "0.1.0.dev0"
