"""Trains with Lightning, whose checkpoints contain the place in the data: `python lightning_training.py [SOURCE [STEPS]]`."""

import sys

import lightning
import torch
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader

import millrace


class Data(lightning.LightningDataModule):
    """The batches of a loader. They are ready, so that DataLoader neither collates nor starts workers."""

    def __init__(self, loader):
        super().__init__()
        self.loader = loader

    def train_dataloader(self):
        return DataLoader(self.loader.iterable("image", "label", transforms=True), batch_size=None, num_workers=0)

    def val_dataloader(self):
        evaluation = self.loader.evaluation().iterable("image", "label", transforms=True)
        return DataLoader(evaluation, batch_size=None, num_workers=0)

    def state_dict(self):
        # Lightning may have requested a batch that the model has not seen. `global_step` counts updates, for each of which
        # Lightning takes several batches with gradient accumulation.
        trained = self.trainer.fit_loop.epoch_loop.batch_progress.total.processed
        return {**self.loader.state_dict(), "step": trained}

    def load_state_dict(self, state):
        self.loader.load_state_dict(state)


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Flatten(), torch.nn.Linear(784, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)
        )

    def training_step(self, batch, _):
        images, labels = batch
        return cross_entropy(self.layers(images), labels)

    def validation_step(self, batch, _):
        images, labels = batch
        output = self.layers(images)
        self.log("val_loss", cross_entropy(output, labels), batch_size=len(labels))
        self.log("val_accuracy", (output.argmax(1) == labels).float().mean(), batch_size=len(labels))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())


def main(source="conf/digits.yaml", steps=2814, checkpoint=None, save=None, accumulated=1):
    lightning.seed_everything(1, verbose=False)
    trainer = lightning.Trainer(
        max_steps=steps,
        accumulate_grad_batches=accumulated,
        accelerator="cpu",
        devices=1,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        num_sanity_val_steps=0,
    )
    model = Model()
    with millrace.Loader(source) as loader:  # with several ranks: rank=..., world=..., and Trainer(use_distributed_sampler=False)
        trainer.fit(model, datamodule=Data(loader), ckpt_path=checkpoint)
    if save is not None:
        trainer.save_checkpoint(save)
    print(f"step {trainer.global_step}", *(f"{name} {value:.3f}" for name, value in trainer.logged_metrics.items()))
    return model


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:3]))
