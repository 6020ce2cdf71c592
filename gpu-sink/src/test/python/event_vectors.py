"""Records what TensorBoard's own reader sees in event files that Millrace wrote.

    pip install tensorboard
    python event_vectors.py ../resources/io/millrace/sink/events

The folder holds the files that EventLogTest writes and compares; tensorboard.json beside them is what this script saw.
"""
import json
import pathlib
import sys

import tensorboard
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

folder = pathlib.Path(sys.argv[1])
accumulator = EventAccumulator(str(folder), size_guidance={"scalars": 0})
accumulator.Reload()
scalars = {tag: accumulator.Scalars(tag) for tag in sorted(accumulator.Tags()["scalars"])}
seen = {
    "tensorboard": tensorboard.__version__,
    "scalars": {tag: [{"step": p.step, "value": p.value} for p in points] for tag, points in scalars.items()},
    "wall_times": [p.wall_time for p in scalars["loss"]],
}
(folder / "tensorboard.json").write_text(json.dumps(seen, indent=1) + "\n")
print({tag: [p.step for p in points] for tag, points in scalars.items()})
