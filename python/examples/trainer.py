"""Trains with the Trainer of Hugging Face: `python trainer.py FOLDER [SOURCE [STEPS [BATCHES]]]`, BATCHES for each step.

It continues the last checkpoint in FOLDER.
"""

import os
import sys

import torch
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, IterableDataset
from transformers import Trainer, TrainerState, TrainingArguments
from transformers.trainer_utils import get_last_checkpoint

import millrace


class Batches(IterableDataset):
    """Batches as the model's arguments."""

    def __init__(self, loader, batches):
        self.loader = loader
        self.batches = batches

    def __iter__(self):
        for batch in self.batches():
            images, labels = batch.torch("image", "label", transforms=True)
            yield {"images": images, "labels": labels}


class MillraceTrainer(Trainer):
    def get_train_dataloader(self):
        # Not accelerator.prepare(DataLoader(...)): the loader has the rows of this rank, and would be divided a second time.
        return DataLoader(self.train_dataset, batch_size=None, num_workers=0)

    def log(self, logs, *rest):
        # The Trainer does not know the length of an epoch, and would count the whole run as one.
        batches = self.state.global_step * self.args.gradient_accumulation_steps
        self.state.epoch = batches / len(self.train_dataset.loader)
        super().log(logs, *rest)

    def get_eval_dataloader(self, eval_dataset=None):
        return DataLoader(eval_dataset or self.eval_dataset, batch_size=None, num_workers=0)


def accuracy(prediction):
    return {"accuracy": float((prediction.predictions.argmax(1) == prediction.label_ids).mean())}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Flatten(), torch.nn.Linear(784, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)
        )

    def forward(self, images, labels):
        output = self.layers(images)
        return {"loss": cross_entropy(output, labels), "logits": output}


def main(folder, source="conf/digits.yaml", steps=2814, accumulated=1):
    torch.manual_seed(1)
    last = get_last_checkpoint(folder) if os.path.isdir(folder) else None
    # The Trainer keeps the batches of two updates. With several ranks: rank=..., world=...
    with millrace.Loader(source, buffers=2 * accumulated + 2) as loader:
        arguments = TrainingArguments(
            folder,
            per_device_train_batch_size=loader.batch_size,  # for the Trainer's own figures: the loader makes the batches
            max_steps=steps,
            gradient_accumulation_steps=accumulated,
            save_steps=50,
            eval_strategy="steps",
            eval_steps=50,
            label_names=["labels"],
            learning_rate=0.001,
            lr_scheduler_type="constant",
            ignore_data_skip=True,  # The loader is at the right step already.
            use_cpu=True,
            report_to=[],
            disable_tqdm=True,
        )
        if last is not None:
            # `global_step` counts updates, for each of which the Trainer takes several batches with gradient accumulation.
            updates = TrainerState.load_from_json(f"{last}/trainer_state.json").global_step
            loader.seek(updates * arguments.gradient_accumulation_steps)
        trainer = MillraceTrainer(
            Model(),
            arguments,
            train_dataset=Batches(loader, loader.steps),  # The Trainer counts steps, so that they are those of the whole run.
            eval_dataset=Batches(loader, loader.evaluation),  # the pipeline's section evaluate
            compute_metrics=accuracy,
        )
        trainer.train(resume_from_checkpoint=last)
    return trainer.model


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(int, sys.argv[3:5]))
