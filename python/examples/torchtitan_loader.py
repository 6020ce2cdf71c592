"""A dataloader of torchtitan with packed sequences of Millrace. In the function of a configuration of torchtitan:

    config.dataloader = MillraceDataLoader.Config(source="127.0.0.1:8815")

`source` is the address of `./millrace serve PIPELINE --world N`, with MILLRACE_TOKEN in the environment, where N is torchtitan's
degree of data parallelism: data_parallel_replicate_degree * data_parallel_shard_degree. The pipeline has `tokenize` and
`pack_sequences`. For one process, `source` may be the pipeline file. Checkpoints continue at any degree. Each rank of data is one
process: tensor, pipeline and context parallelism, which have several, are refused.

The interface is that of torchtitan's main branch since its commit 73aed7f6c of 20 August 2026, which flattens batches into [tokens].
Older trainers pass seq_len and local_batch_size, and cannot use this dataloader.
"""

from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch.nn.functional import pad
from torchtitan.components.data.loader import BaseDataLoader

import millrace

IGNORED = -100
"""torchtitan's IGNORE_INDEX, and the label of padding in Millrace."""


class MillraceDataLoader(BaseDataLoader):
    @dataclass(kw_only=True, slots=True)
    class Config(BaseDataLoader.Config):
        source: str

    def __init__(self, config, *, dp_world_size, dp_rank, max_context_length, num_tokens_per_batch, **_):
        processes = dist.get_world_size() if dist.is_initialized() else 1
        if processes > dp_world_size:
            raise ValueError(
                f"{processes} processes share {dp_world_size} ranks of data, expected as many ranks as processes: a server of"
                " Millrace delivers the rows of a rank to one process, so tensor, pipeline and context parallelism cannot be used"
            )
        self.tokens = num_tokens_per_batch
        self.loader = millrace.Loader(config.source, rank=dp_rank, world=dp_world_size)
        try:
            self._require_sizes(max_context_length)
        except ValueError:
            self.close()
            raise

    def _require_sizes(self, longest):
        plan = self.loader.plan
        if "tokens" not in plan.fields or "lengths" not in plan.fields:
            raise ValueError(f"{self.loader.address} delivers {', '.join(plan.fields)}, expected the fields of pack_sequences")
        rows, length = plan.batch, plan.fields["tokens"].shape[0]
        if rows * length != self.tokens:
            raise ValueError(
                f"{self.loader.address} delivers {rows} sequences of {length} tokens to a rank, which are {rows * length} tokens,"
                f" but training.num_tokens_per_microbatch_per_dp_rank is {self.tokens}: change it, batch.size or the length"
            )
        if length > longest:
            raise ValueError(
                f"{self.loader.address} delivers sequences of {length} tokens, expected at most training.max_context_length,"
                f" which is {longest}"
            )

    def __iter__(self):
        """Yields all batches of the run, from the next step on. `positions` restart with each document, where torchtitan's masks
        of flex and varlen attention begin anew."""
        for batch in self.loader.steps():
            tokens, positions, labels = batch.torch("tokens", "position_ids", "labels")
            # A batch that lacks a bad sequence gets padding: a compiled model requires the same shape in each step.
            rest = self.tokens - tokens.numel()
            inputs = {
                "input": pad(tokens.flatten().long(), (0, rest)),
                "positions": torch.cat((positions.flatten(), torch.arange(rest))),
            }
            yield inputs, pad(labels.flatten(), (0, rest), value=IGNORED)

    def state_dict(self):
        return self.loader.state_dict()  # equal on all ranks, and for any number of them

    def load_state_dict(self, state):
        if state:  # torchtitan passes an empty state when the checkpoint has none.
            self.loader.load_state_dict(state)

    def close(self):
        self.loader.close()
