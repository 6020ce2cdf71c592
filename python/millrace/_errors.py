"""The exceptions of the package."""

from typing import Sequence, Tuple


class MillraceError(Exception):
    """The base of all exceptions of this package."""


class ProtocolError(MillraceError):
    """The server sent something that the protocol does not allow. The connection is closed."""


class LoaderClosed(MillraceError):
    """The loader was used after `close`, or was closed while it waited for a batch."""


class ConnectionLost(MillraceError, ConnectionError):
    """No connection to the server could be made within `timeout` seconds. The message contains the last error."""


class NoMoreEpochs(MillraceError):
    """A `for` over the loader began after the last epoch of the run."""


class Starting(OSError):
    """The server, or its job on a cluster, is alive and does not listen yet. For this package only."""


class ServerError(MillraceError):
    """The server reported an error.

    `code` is the server's word for it: `protocol`, `token`, `world`, `transforms`, `rank_taken`, `ranks_disagree`, `memory`,
    `unreachable`, `step`, or one of the subclasses' codes.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class JobFailed(ServerError):
    """The Flink job failed. The message is the job's own sentence."""

    def __init__(self, message: str) -> None:
        super().__init__("job_failed", message)


class PlanDiffers(ServerError):
    """The saved state belongs to another plan. `keys` are the names of the settings that differ, if they are known."""

    def __init__(self, message: str, keys: Sequence[str] = ()) -> None:
        super().__init__("plan_differs", message)
        self.keys: Tuple[str, ...] = tuple(keys)


EXPECTED = (ServerError, ConnectionLost)
"""Errors whose message is all that a user needs. Connecting and `next` raise them without the frames below and without causes."""
