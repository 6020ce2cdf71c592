"""Trains a small GPT on packed sequences with JAX: `python gpt_jax.py SOURCE [EPOCHS [VOCABULARY]]`.

SOURCE is a pipeline file with `tokenize` and `pack_sequences`, or the address of a server. VOCABULARY is the number of ids of the
tokenizer. No token attends to another document. Set `batch.drop_last` in the pipeline: a batch with fewer rows has another shape,
for which JAX compiles the step again.
"""

import sys

import jax
import jax.numpy as jnp

import millrace


def initial(key, vocabulary, length, width=64, heads=4, layers=2):
    """Returns the parameters of a GPT."""
    keys = iter(jax.random.split(key, 3 + 4 * layers))

    def matrix(*shape):
        return 0.02 * jax.random.normal(next(keys), shape)

    def block():
        return {
            "projections": matrix(width, 3, heads, width // heads),
            "joined": matrix(heads, width // heads, width),
            "wide": matrix(width, 4 * width),
            "narrow": matrix(4 * width, width),
        }

    return {
        "tokens": matrix(vocabulary, width),
        "positions": matrix(length, width),
        "blocks": [block() for _ in range(layers)],
        "head": matrix(width, vocabulary),
    }


def mask_of(segment_ids):
    """Returns which tokens each token attends to, those of its own segment up to itself: [rows, 1, length, length].

    The shape does not depend on the documents, as a compiled step requires.
    """
    same = segment_ids[:, :, None] == segment_ids[:, None, :]
    return jnp.tril(same)[:, None]


def norm(x):
    return jax.nn.standardize(x, axis=-1, epsilon=1e-5)


def logits(parameters, tokens, position_ids, segment_ids):
    """Returns the logits of the next token, [rows, length, vocabulary]. All inputs are [rows, length]."""
    mask = mask_of(segment_ids)
    x = parameters["tokens"][tokens] + parameters["positions"][position_ids]
    for block in parameters["blocks"]:
        query, key, value = jnp.einsum("rlw,wphd->prlhd", norm(x), block["projections"])
        attended = jax.nn.dot_product_attention(query, key, value, mask=mask)
        x = x + jnp.einsum("rlhd,hdw->rlw", attended, block["joined"])
        x = x + jax.nn.gelu(norm(x) @ block["wide"]) @ block["narrow"]
    return norm(x) @ parameters["head"]


def loss_of(parameters, tokens, labels, position_ids, segment_ids):
    """Returns the mean over all labels. They are shifted already; the last token of a document, padding and prompts have -100."""
    counted = labels >= 0
    logs = jax.nn.log_softmax(logits(parameters, tokens, position_ids, segment_ids))
    chosen = jnp.take_along_axis(logs, jnp.maximum(labels, 0)[..., None], axis=-1)[..., 0]
    return -jnp.sum(chosen, where=counted) / jnp.maximum(counted.sum(), 1)


@jax.jit
def update(parameters, moments, step, *fields):
    """Returns the parameters and the moments after a step of Adam, and the loss before it."""
    loss, gradients = jax.value_and_grad(loss_of)(parameters, *fields)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], gradients)
    second = jax.tree.map(lambda m, g: 0.99 * m + 0.01 * g * g, moments[1], gradients)
    rate = 0.003 * jnp.sqrt(1 - 0.99**step) / (1 - 0.9**step)
    parameters = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8), parameters, first, second)
    return parameters, (first, second), loss


def main(source, epochs=1, vocabulary=50257):
    losses = []
    with millrace.Loader(source) as loader:
        parameters = initial(jax.random.key(1), vocabulary, loader.plan.fields["tokens"].shape[0])
        moments = (jax.tree.map(jnp.zeros_like, parameters), jax.tree.map(jnp.zeros_like, parameters))
        for _ in range(epochs):
            for batch in loader:
                largest = batch["tokens"].max()
                if largest >= vocabulary:  # JAX would use the last id instead.
                    raise ValueError(f"step {batch.step} has the token {largest}, expected less than VOCABULARY, {vocabulary}")
                fields = batch.jax("tokens", "labels", "position_ids", "segment_ids")
                parameters, moments, loss = update(parameters, moments, batch.step + 1, *fields)
                # `float` waits for the step. Otherwise JAX would hold all buffers, and the loader would copy the batches.
                losses.append(float(loss))
        print(f"step {loader.step}: loss {losses[-1]:.3f}")
    return parameters, losses


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:4]))
