"""Trains a small GPT on packed sequences: `python gpt.py SOURCE [EPOCHS [VOCABULARY]]`.

SOURCE is a pipeline file with `tokenize` and `pack_sequences`, or the address of a server. No token attends to another document.
VOCABULARY is the number of ids of the tokenizer.
"""

import sys

import torch
from torch import nn
from torch.nn.functional import cross_entropy, scaled_dot_product_attention

import millrace

try:
    from flash_attn import flash_attn_varlen_func
except ImportError:
    flash_attn_varlen_func = None


def attention(query, key, value, cu_seqlens, max_seqlen):
    """Returns the causal attention within each segment. All tensors are [tokens, heads, width of a head]."""
    if query.is_cuda and flash_attn_varlen_func is not None:
        return flash_attn_varlen_func(query, key, value, cu_seqlens, cu_seqlens, max_seqlen, max_seqlen, causal=True)
    # Elsewhere a mask of blocks does the same, with memory for each pair of tokens.
    places = torch.arange(len(query), device=query.device)
    segment = torch.searchsorted(cu_seqlens[1:], places.int(), right=True)
    mask = (segment[:, None] == segment[None, :]) & (places[:, None] >= places[None, :])
    return scaled_dot_product_attention(*(each.transpose(0, 1) for each in (query, key, value)), attn_mask=mask).transpose(0, 1)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.projections, self.joined = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.feedforward = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x, cu_seqlens, max_seqlen):
        parts = self.projections(self.before(x)).unflatten(-1, (3, self.heads, -1)).unbind(1)
        x = x + self.joined(attention(*parts, cu_seqlens, max_seqlen).flatten(1))
        return x + self.feedforward(self.after(x))


class GPT(nn.Module):
    def __init__(self, vocabulary, length, width=64, heads=4, layers=2):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens, position_ids, cu_seqlens, max_seqlen):
        """Returns the logits of the next token, [rows * length, vocabulary]. `tokens` and `position_ids` are [rows, length]."""
        x = (self.tokens(tokens) + self.positions(position_ids)).flatten(0, 1)
        for block in self.blocks:
            x = block(x, cu_seqlens, max_seqlen)
        return self.head(self.norm(x))


def main(source, epochs=1, vocabulary=50257):
    torch.manual_seed(1)
    losses = []
    with millrace.Loader(source) as loader:
        model = GPT(vocabulary, loader.plan.fields["tokens"].shape[0])
        optimizer = torch.optim.AdamW(model.parameters(), 0.003)
        for _ in range(epochs):
            for batch in loader:
                tokens, labels, position_ids, cu_seqlens, max_seqlen = batch.torch(
                    "tokens", "labels", "position_ids", "cu_seqlens", "max_seqlen"
                )
                # The labels are shifted already. The last token of a document, padding and prompts have the label -100.
                logits = model(tokens, position_ids, cu_seqlens, max_seqlen)
                # The mean over all labels, of which a batch of prompts may have none.
                loss = cross_entropy(logits, labels.flatten(), reduction="sum") / (labels >= 0).sum().clamp(min=1)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
        print(f"step {loader.step}: loss {losses[-1]:.3f}")
    return model, losses


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:4]))
