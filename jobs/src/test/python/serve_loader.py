"""A loader that a test in another process drives: it reads commands and writes answers, one JSON object a line.

{"open": {...}} creates the loader with these arguments, {"steps": n} receives batches, at most n, {"evaluate": n} receives at most n
batches of a pass over the evaluation, {"close": true} closes it. The answer has `steps`, `indexes` and `labels` of the batches,
`memory`, the kind of memory in use, and `ended`, whether the run has no more batches; or `error`, the name of the exception and its
message.
"""

import json
import signal
import sys

import millrace

signal.alarm(110)  # A test that waits for an answer cannot be interrupted.


def main():
    loader = None
    for line in sys.stdin:
        command = json.loads(line)
        answer = {"steps": [], "indexes": [], "labels": [], "ended": False}
        try:
            if "open" in command:
                if loader is not None:
                    loader.close()
                loader = millrace.Loader(**command["open"])
            while len(answer["steps"]) < command.get("steps", 0):
                batch = next(loader, None)
                if batch is None:
                    answer["ended"] = True
                    break
                answer["steps"].append(batch.step)
                answer["indexes"] += batch.indexes.tolist()
                answer["labels"] += batch["label"].tolist()
            if "evaluate" in command:
                for _, batch in zip(range(command["evaluate"]), loader.evaluation()):
                    answer["indexes"] += batch.indexes.tolist()
            answer["memory"] = loader.stats()["memory"]["kind"]
            if "close" in command:
                loader.close()
        except millrace.MillraceError as e:
            answer["error"] = f"{type(e).__name__}: {e}"
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
