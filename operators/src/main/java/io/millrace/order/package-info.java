/**
 * Order and randomness of a run, as pure functions of (seed, epoch, sample). Therefore a run is the same at any
 * parallelism.
 *
 * <p>Read {@link io.millrace.order.BatchPlan} first: it maps positions to epochs, splits, batches and steps. {@link
 * io.millrace.order.RankRows} divides batches among ranks. An {@link io.millrace.order.Order} maps places of epochs to samples: {@link
 * io.millrace.order.EpochOrder} to those of one dataset, through {@link io.millrace.order.Permutation} for a full shuffle or {@code BlockOrder} for a
 * shuffle by blocks. {@link io.millrace.order.SampleRandom} generates the random numbers of each transform with the
 * generator {@code Philox}.
 *
 * <p>{@link io.millrace.order.Mixture} maps the positions of a run to several sources by weights that change in phases, and {@link
 * io.millrace.order.MixtureOrder} maps them to the samples of these sources. {@link io.millrace.order.MixtureWeights} reads weights. {@link io.millrace.order.SkippingOrder} leaves out steps of another order.
 *
 * <p>{@link io.millrace.order.DrawnOrder} draws samples by the weights of a {@link io.millrace.order.WeightTable}.
 *
 * <p>All classes are immutable and safe for any thread, except {@link io.millrace.order.SampleRandom}, which belongs to
 * one thread.
 *
 * <p>The package does not promise cryptographic strength. It does not promise the same order after a change of the
 * seed, the dataset's size or the kind of shuffling.
 */
@NullMarked
package io.millrace.order;

import org.jspecify.annotations.NullMarked;
