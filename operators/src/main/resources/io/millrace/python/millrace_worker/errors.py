"""The two ways in which user code is wrong. Every other exception is one that user code raised."""


class WrongPipeline(Exception):
    """The pipeline file or the function is wrong, and not a single sample. `stage` is the number of the function."""

    stage = 0


class BadResult(Exception):
    """The function returned something that is no sample. The message says what."""


class Oversized(BadResult):
    """The values do not fit into the memory."""
