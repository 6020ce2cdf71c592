/**
 * The dataset format {@code synthetic}: random images that need no I/O, for measuring all stages except reading and
 * decoding.
 *
 * <p>Read {@link io.millrace.dataset.synthetic.SyntheticFormat} first, which lists the options.
 * {@code SyntheticDataset} computes a sample from the seed and its index.
 *
 * <p>A model can learn nothing from the samples. Bytes and labels are uniform and independent, so no model can be
 * better than chance.
 */
@NullMarked
package io.millrace.dataset.synthetic;

import org.jspecify.annotations.NullMarked;
