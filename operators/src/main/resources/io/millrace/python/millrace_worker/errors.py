"""What Millrace finds wrong itself. Every other exception is one that user code raised."""


class WrongPipeline(Exception):
    """The pipeline file or the function is wrong, and not a single sample. `stage` is the number of the function."""

    stage = 0


class BadSample(Exception):
    """The sample has a value that user code cannot get. The message says which."""


class BadResult(Exception):
    """The function returned something that is no sample. The message says what."""


class Oversized(BadResult):
    """The values do not fit into the memory."""
