/**
 * The operator that trains.
 *
 * <p>Read {@link io.millrace.sink.trainer.TrainOperator} first: it names the class behind each of its duties. {@code RankTraining}
 * holds the parts of one rank. On the trainer's thread, {@code Trainer} trains and writes the run's files. {@code ReplicaBarrier} and
 * {@code BatchAgreement} keep replicas in step. {@code TrainStates} stores and reads the state.
 *
 * <p>The package knows nothing of clients: {@code deliver} serves them.
 */
@NullMarked
package io.millrace.sink.trainer;

import org.jspecify.annotations.NullMarked;
