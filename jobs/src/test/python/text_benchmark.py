"""Compares text that becomes packed tokens in a Python loop: tokens per second, CPU time per token.

    python text_benchmark.py --texts texts.jsonl --tokenizer tokenizer.json [--rounds 3] [--out rounds.jsonl] [--torchtitan FOLDER]
    python text_benchmark.py --table rounds.jsonl

Each line of the file has a `text`. In each round, each program reads it several times, makes tokens, packs them into sequences, and a loop of
Python gets batches of int64 tensors. Only the time from the second epoch on counts.

    millrace      the client's loop, with labels, positions and boundaries; the numbers of tokens were counted before
    dataloader    a DataLoader of torch with 2 workers, which tokenise with Hugging Face's tokenizers and cut the joined tokens
    datasets      datasets.map with 2 processes, which tokenises batches and cuts the joined tokens, and then a DataLoader; each
                  epoch is a new pass, as for a corpus that is used once
    torchtitan    HuggingFaceTextDataLoader of your checkout of torchtitan, with its defaults, which are no workers, and each epoch is a
                  new loader over the texts, which datasets has read before. It was removed in August 2026: check out 1b04fc1c3^ or earlier
"""

import argparse
import importlib
import json
import pathlib
import random
import sys
import tempfile
import time

import metered
from metered import spread

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = ["millrace", "dataloader", "datasets", "torchtitan"]
WORKERS = 2
PIPELINE = """
name: text
dataset: {{format: jsonl, path: {texts}, epochs: {epochs}}}
transforms:
  - tokenize: {{tokenizer: {tokenizer}}}
  - pack_sequences: {{length: {length}}}
batch: {{size: {rows}}}
parallelism: 2
train: {{model: none, input: [tokens, lengths]}}
"""


def batches_of_millrace(options, epochs, work):
    sys.path.insert(0, str(HERE.parents[3] / "python"))
    import millrace

    file = pathlib.Path(work) / "text.yaml"
    file.write_text(PIPELINE.format(epochs=epochs, **options))
    with millrace.Loader(str(file)) as loader:
        for _ in range(epochs):
            tokens = 0
            for batch in loader:
                ids, labels, positions, bounds = batch.torch("tokens", "labels", "position_ids", "cu_seqlens")
                tokens += int(bounds[-1])
            yield tokens


def joined(documents, length):
    """Yields the tokens of documents, joined and cut into sequences."""
    rest = []
    for ids in documents:
        rest += ids
        while len(rest) >= length:
            yield rest[:length]
            rest = rest[length:]
    if rest:
        yield rest + [0] * (length - len(rest))


def batches_of_dataloader(options, epochs, work):
    import tokenizers
    import torch
    from torch.utils import data

    class Texts(data.IterableDataset):
        def __iter__(self):
            worker = data.get_worker_info()
            tokenizer = tokenizers.Tokenizer.from_file(options["tokenizer"])
            with open(options["texts"], encoding="utf-8") as file:
                own = (line for number, line in enumerate(file) if number % worker.num_workers == worker.id)
                documents = (tokenizer.encode(json.loads(line)["text"], add_special_tokens=False).ids for line in own)
                for sequence in joined(documents, options["length"]):
                    yield torch.tensor(sequence)

    for _ in range(epochs):
        yield sum(batch.numel() for batch in data.DataLoader(Texts(), options["rows"], num_workers=WORKERS))


def batches_of_datasets(options, epochs, work):
    import datasets
    import tokenizers
    from torch.utils import data

    tokenizer = tokenizers.Tokenizer.from_file(options["tokenizer"])
    datasets.disable_progress_bars()

    def packed(texts):
        ids = [each.ids for each in tokenizer.encode_batch(texts["text"], add_special_tokens=False)]
        return {"tokens": list(joined(ids, options["length"]))}

    for number in range(epochs):
        texts = datasets.load_dataset("json", data_files=options["texts"], split="train", cache_dir=f"{work}/{number}")
        sequences = texts.map(packed, batched=True, num_proc=WORKERS, remove_columns=texts.column_names).with_format("torch")
        yield sum(batch["tokens"].numel() for batch in data.DataLoader(sequences, options["rows"], num_workers=WORKERS))


def torchtitan_modules(folder):
    """Imports the modules of torchtitan's loader and tokenizer from a checkout."""
    sys.path.insert(0, folder)
    texts = importlib.import_module("torchtitan.hf_datasets.text_datasets")
    if not pathlib.Path(texts.__file__).resolve().is_relative_to(folder):
        raise ImportError(f"{folder} has no torchtitan/hf_datasets/text_datasets.py, and Python found {texts.__file__}")
    if not hasattr(texts, "HuggingFaceTextDataLoader"):
        raise ImportError(f"{texts.__file__} has no HuggingFaceTextDataLoader, expected a checkout of 1b04fc1c3^ or earlier")
    return texts, importlib.import_module("torchtitan.components.tokenizer")


def batches_of_torchtitan(options, epochs, work):
    import datasets

    texts, tokenizers = torchtitan_modules(options["torchtitan"])
    datasets.disable_progress_bars()
    (pathlib.Path(work) / "tokenizer.json").symlink_to(options["tokenizer"])
    tokenizer = tokenizers.HuggingFaceTokenizer(tokenizer_path=work)
    texts.DATASETS["texts"] = texts.DatasetConfig(
        path=options["texts"],
        loader=lambda path: datasets.load_dataset("json", data_files=path, split="train", cache_dir=f"{work}/cache"),
        sample_processor=lambda sample: sample["text"],
    )
    config = texts.HuggingFaceTextDataLoader.Config(dataset="texts", infinite=False)
    for _ in range(epochs):
        loader = config.build(dp_world_size=1, dp_rank=0, tokenizer=tokenizer, seq_len=options["length"],
                              local_batch_size=options["rows"], snapshot_every_n_steps=None)
        yield sum(labels.numel() for _, labels in loader)


def torchtitan_problem(folder):
    """Returns the reason why torchtitan cannot be measured, or None."""
    if not folder:
        return "no --torchtitan with a checkout of it"
    try:
        torchtitan_modules(str(folder))
    except (ImportError, AttributeError) as e:  # AttributeError: torchtitan requires another version of a library.
        return f"its loader cannot be imported from {folder}: {e}"
    return None


def peer(program, options, epochs):
    """Prints the end of each epoch and its number of tokens."""
    with tempfile.TemporaryDirectory() as work:
        for tokens in globals()["batches_of_" + program](options, epochs, work):
            print("epoch", time.time(), tokens, flush=True)


def measure(program, arguments, number):
    epochs = arguments.epochs + (2 if program == "millrace" else 0)  # the first epochs of a JVM are slower
    options = {"texts": str(arguments.texts), "tokenizer": str(arguments.tokenizer), "length": arguments.length,
               "rows": arguments.rows, "torchtitan": str(arguments.torchtitan)}
    with tempfile.TemporaryDirectory() as work:
        command = [sys.executable, __file__, "--peer", program, json.dumps(options), str(epochs)]
        output, meter = metered.finished(command, work, None)
    lines = [line.split() for line in output.splitlines() if line.startswith("epoch ")]
    ends, tokens = [float(line[1]) for line in lines], [int(line[2]) for line in lines]
    first = 2 if program == "millrace" else 0
    seconds, count = ends[-1] - ends[first], sum(tokens[first + 1:])
    own, others = meter.between(ends[first], ends[-1])
    return {"round": number, "program": program, "tokens": count, "tokens_per_s": round(count / seconds),
            "cpu_us": round(1e6 * own / count, 4), "other": round(others / seconds, 2)}


def table(results):
    print("| program | tokens/s | tokens/s of a core's CPU time | CPU us per token | its CPU time relative to Millrace's | other cores |")
    print("|---|---|---|---|---|---|")
    base = {r["round"]: r for r in results if r["program"] == "millrace"}
    for program in PROGRAMS:
        rows = [r for r in results if r["program"] == program and r["round"] in base]
        if rows:
            print(f"| {program} | {spread([r['tokens_per_s'] for r in rows], 0)} | {spread([1e6 / r['cpu_us'] for r in rows], 0)} "
                  f"| {spread([r['cpu_us'] for r in rows], 3)} "
                  f"| {spread([r['cpu_us'] / base[r['round']]['cpu_us'] for r in rows], 1)} | {max(r['other'] for r in rows):.2f} at most |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--tokenizer", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--length", type=int, default=8192)
    parser.add_argument("--rows", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=3, help="epochs of each round; the first does not count")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--programs", nargs="+", default=PROGRAMS, choices=PROGRAMS)
    parser.add_argument("--torchtitan", type=lambda text: pathlib.Path(text).resolve(), help="a checkout of torchtitan; default: none")
    parser.add_argument("--out", type=pathlib.Path, help="a file to which each result is added; default: none")
    parser.add_argument("--table", type=pathlib.Path, help="only print the table of such a file")
    parser.add_argument("--peer", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        peer(arguments.peer[0], json.loads(arguments.peer[1]), int(arguments.peer[2]))
        return
    if arguments.table:
        table([json.loads(line) for line in arguments.table.read_text().splitlines()])
        return
    if not arguments.texts or not arguments.tokenizer:
        parser.error("expected --texts and --tokenizer, or --table")
    if "torchtitan" in arguments.programs and (problem := torchtitan_problem(arguments.torchtitan)):
        print(f"torchtitan is left out: {problem}", file=sys.stderr)
        arguments.programs = [program for program in arguments.programs if program != "torchtitan"]
        if not arguments.programs:
            sys.exit("no program is left to be measured")
    results = []
    for number in range(arguments.rounds):
        for program in random.sample(arguments.programs, len(arguments.programs)):
            results.append(measure(program, arguments, number))
            print(json.dumps(results[-1]), file=sys.stderr, flush=True)
            if arguments.out:
                with arguments.out.open("a") as file:
                    file.write(json.dumps(results[-1]) + "\n")
    table(results)


if __name__ == "__main__":
    main()
