"""Trains a small Llama on packed sequences with the Trainer of Hugging Face:
`python hf_trainer.py FOLDER SOURCE [STEPS [BATCHES [VOCABULARY]]]`.

SOURCE is a pipeline file with `tokenize` and `pack_sequences`, or the address of a server. An update takes BATCHES batches.
VOCABULARY is the number of ids of the tokenizer. No token attends to another document. The program continues the last checkpoint
in FOLDER.

On several processes, start `./millrace serve PIPELINE --world N`, and pass its address to
`torchrun --nproc-per-node N hf_trainer.py FOLDER ADDRESS`.
"""

import os
import sys

import torch
from torch.utils.data import DataLoader, IterableDataset
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainerCallback, TrainerState, TrainingArguments, set_seed
from transformers.trainer_callback import ExportableState
from transformers.trainer_utils import get_last_checkpoint

import millrace


def inputs(batch, device=None):
    """Returns the arguments of a causal language model of transformers, which keep its attention within each document."""
    tokens, labels, position_ids, cu_seqlens, max_seqlen = batch.torch(
        "tokens", "unshifted_labels", "position_ids", "cu_seqlens", "max_seqlen", device=device
    )
    return {
        "input_ids": tokens,
        "labels": labels,  # The model shifts them itself.
        # The attentions sdpa, eager and flex_attention find the documents where positions restart, unless the model makes a
        # cache or gets an attention_mask.
        "position_ids": position_ids,
        "use_cache": False,
        # Flash attention needs these: without them it looks at positions only if the batch has a single row.
        "cu_seq_lens_q": cu_seqlens,
        "cu_seq_lens_k": cu_seqlens,
        "max_length_q": max_seqlen,
        "max_length_k": max_seqlen,
    }


class Packs(IterableDataset):
    """All batches of a run, from the loader's next step on, as arguments of the model."""

    def __init__(self, loader, device):
        self.loader = loader
        self.device = device

    def __iter__(self):
        return (inputs(batch, self.device) for batch in self.loader.steps())


class PackTrainer(Trainer):
    def get_train_dataloader(self):
        # Not accelerator.prepare(DataLoader(...)): the loader has the rows of this rank, and would be divided a second time.
        return DataLoader(self.train_dataset, batch_size=None, num_workers=0)

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        # An update may have no label on any rank, only prompts or bad sequences: its loss is 0, not 0 / 0.
        return super().compute_loss(model, inputs, return_outputs, num_items_in_batch.clamp(min=1))


class Place(TrainerCallback, ExportableState):
    """Puts the loader's state into `trainer_state.json` of each checkpoint."""

    def __init__(self, loader):
        self.loader = loader

    def state(self):
        return {"args": {}, "attributes": self.loader.state_dict()}

    def restore(self, checkpoint):
        saved = TrainerState.load_from_json(f"{checkpoint}/trainer_state.json").stateful_callbacks
        self.loader.load_state_dict(saved["Place"]["attributes"])


def main(folder, source, steps=1000, accumulated=1, vocabulary=50257):
    set_seed(1)
    arguments = TrainingArguments(
        folder,
        max_steps=steps,
        gradient_accumulation_steps=accumulated,
        save_steps=50,
        logging_steps=10,
        learning_rate=0.003,
        lr_scheduler_type="constant",
        ignore_data_skip=True,  # The loader is at the right step already.
        use_cpu=not torch.cuda.is_available(),  # Otherwise the Trainer would see one process of several.
        report_to=[],
        disable_tqdm=True,
    )
    if arguments.n_gpu > 1:
        sys.exit(f"found {arguments.n_gpu} GPUs, expected one for each process: start with torchrun, or set CUDA_VISIBLE_DEVICES")
    # The Trainer keeps the batches of two updates.
    ranks = {"rank": arguments.process_index, "world": arguments.world_size}
    with millrace.Loader(source, buffers=2 * accumulated + 2, **ranks) as loader:
        arguments.per_device_train_batch_size = loader.batch_size  # for the Trainer's own figures: the loader makes the batches
        config = LlamaConfig(
            vocab_size=vocabulary,
            hidden_size=64,
            intermediate_size=256,
            num_hidden_layers=2,
            num_attention_heads=4,
            max_position_embeddings=loader.plan.fields["tokens"].shape[0],
        )
        place = Place(loader)
        trainer = PackTrainer(
            LlamaForCausalLM(config), arguments, train_dataset=Packs(loader, arguments.device), callbacks=[place]
        )
        last = get_last_checkpoint(folder) if os.path.isdir(folder) else None
        if last is not None:
            place.restore(last)
        trainer.train(resume_from_checkpoint=last)
    return trainer.model, [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(int, sys.argv[3:6]))
