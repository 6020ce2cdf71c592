"""The program of the worker processes. docs/develop/python-workers.md describes it."""
