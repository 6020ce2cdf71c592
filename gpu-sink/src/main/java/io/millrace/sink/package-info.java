/**
 * The end of a job's graph: the operator that trains, or the operator that delivers batches to a client that trains.
 *
 * <p>Each has a package of its own, {@code trainer} and {@code deliver}, and neither knows the other. What both use is in the
 * packages {@code spec}, {@code figures}, {@code files}, {@code progress}, {@code rows} and {@code task}. This package itself has only the
 * serializers of a trainer's state, because their names are stored in checkpoints.
 *
 * <p>Both operators promise two things: the order of samples and batches depends only on the seed, and a run that continues gets
 * exactly the same batches as a run without failures. They do not promise an order in which rows arrive, nor that the memory of a
 * batch stays valid after its step.
 */
@NullMarked
package io.millrace.sink;

import org.jspecify.annotations.NullMarked;
