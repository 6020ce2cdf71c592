/**
 * Micro-batches: rows of samples packed into Arrow vectors, the only record that crosses the network.
 *
 * <p>{@link io.millrace.batch.Packer} is pure; the operator and the Flink type around it are thin.
 */
@NullMarked
package io.millrace.batch;

import org.jspecify.annotations.NullMarked;
