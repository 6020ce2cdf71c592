"""A dataset of JSON lines, one `{"text": ..., "label": ...}` in each: `dataset: { format: python, dataset: "texts:Texts" }`."""

import json


class Texts:
    """Finds the lines when it is made, and reads a line when it is asked for."""

    def __init__(self, path):
        self.path = path
        self.starts = [0]
        with open(path, "rb") as file:
            for line in file:
                self.starts.append(self.starts[-1] + len(line))

    def __len__(self):
        return len(self.starts) - 1

    def __getitem__(self, index):
        with open(self.path, "rb") as file:
            file.seek(self.starts[index])
            line = json.loads(file.readline())
        return {"text": line["text"], "label": line["label"]}
