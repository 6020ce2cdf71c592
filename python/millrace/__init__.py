"""Batches of Millrace for training loops in Python.

import millrace
loader = millrace.Loader("conf/photos.yaml")
for epoch in range(3):
    for batch in loader:
        images, labels = batch.torch("image", "label")
"""

from ._batch import Batch
from ._errors import (
    ConnectionLost,
    JobFailed,
    LoaderClosed,
    MillraceError,
    NoMoreEpochs,
    PlanDiffers,
    ProtocolError,
    ServerError,
)
from ._loader import Loader
from ._mix import Mix, Phase, Source
from ._pass import Epoch
from ._plan import Field, Plan
from ._preview import Preview
from ._varying import Ragged, Sparse
from ._version import __version__

__all__ = [
    "Batch",
    "ConnectionLost",
    "Epoch",
    "Field",
    "JobFailed",
    "Loader",
    "LoaderClosed",
    "MillraceError",
    "Mix",
    "NoMoreEpochs",
    "Phase",
    "Plan",
    "PlanDiffers",
    "Preview",
    "ProtocolError",
    "Ragged",
    "ServerError",
    "Source",
    "Sparse",
    "__version__",
]
