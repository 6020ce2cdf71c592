"""Trains with JAX: `python jax_training.py [SOURCE [EPOCHS]]`."""

import sys

import jax
import jax.numpy as jnp

import millrace


def logits(parameters, images):
    (w1, b1), (w2, b2) = parameters
    pixels = (images.reshape(len(images), -1) / 255.0 - 0.1307) / 0.3081
    return jax.nn.relu(pixels @ w1 + b1) @ w2 + b2


def loss_of(parameters, images, labels):
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits(parameters, images)), labels[:, None], axis=1)
    return -chosen.mean()


@jax.jit
def update(parameters, images, labels):
    loss, gradients = jax.value_and_grad(loss_of)(parameters, images, labels)
    return jax.tree.map(lambda p, g: p - 0.1 * g, parameters, gradients), loss


def main(source="conf/digits.yaml", epochs=3):
    first, second = jax.random.split(jax.random.key(1))
    parameters = [
        (jax.random.normal(first, (784, 128)) * 0.05, jnp.zeros(128)),
        (jax.random.normal(second, (128, 10)) * 0.05, jnp.zeros(10)),
    ]
    loader = millrace.Loader(source)
    for _ in range(epochs):
        for batch in loader:
            # On the CPU the arrays are the buffer's memory, without a copy. The buffer is not reused while an array, or a computation
            # that has not run yet, needs it. Do not donate these arrays: JAX may then write into them.
            images, labels = batch.jax("image", "label")
            parameters, loss = update(parameters, images, labels)
            # Otherwise JAX computes later than this loop runs. It would hold all buffers, and the loader would copy the batches.
            loss.block_until_ready()
    print(f"step {loader.step}: loss {loss:.3f}")
    return parameters, float(loss)


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:3]))
