/**
 * The training operator. It assembles the rows of micro-batches into batches, passes complete batches to the trainer in
 * order, and takes part in Flink's checkpoints.
 *
 * <p>Read {@link io.millrace.sink.TrainOperator} first: it names the class behind each of its duties. {@code
 * RankTraining} holds the parts of one rank. On the task's thread, {@code RowIntake} and {@code BatchRing} copy rows to
 * their places; on the trainer's thread, {@code Trainer} trains and writes the run's files. {@code ReplicaBarrier} and
 * {@code BatchAgreement} keep replicas in step. {@code SavedRun} and {@code TrainStates} store and read the state.
 *
 * <p>The package does not promise an order in which rows arrive, nor that the memory of a batch stays valid after the trainer is
 * done with it. It does promise two things: the order of samples and batches depends only on the seed, and a run that
 * continues from a checkpoint trains on exactly the same batches as a run without failures.
 */
@NullMarked
package io.millrace.sink;

import org.jspecify.annotations.NullMarked;
