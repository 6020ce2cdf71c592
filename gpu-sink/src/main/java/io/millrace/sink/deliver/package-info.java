/**
 * The operator that delivers batches to a client in another process, which trains.
 *
 * <p>Read {@link io.millrace.sink.deliver.DeliverOperator} first. {@code Delivery} puts rows into the memory of the client of its rank,
 * {@code ClientSession} is the connection to it, and {@code RowGate} decides which rows are for it. {@code DeliverCoordinator} and
 * {@code RankAgreement} let all ranks agree on the step at which a generation of rows begins. {@code DeliveredSteps} counts the steps of
 * the client's loop.
 *
 * <p>The package knows nothing of training: {@code trainer} trains.
 */
@NullMarked
package io.millrace.sink.deliver;

import org.jspecify.annotations.NullMarked;
