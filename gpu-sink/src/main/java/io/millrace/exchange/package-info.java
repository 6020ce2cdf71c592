/**
 * Keeps the replicas of a model equal: each step's gradients are averaged over all ranks, with the same bits for every rank
 * wherever the ranks are. Plain Java: knows neither Flink nor the engine that trains.
 *
 * <p>Sums are made in an order that follows from the number of ranks alone, see {@link io.millrace.exchange.Segments}: so
 * threads of one process, processes of one host and hosts give the same result. Only longs, floats and fixed frames are
 * read from other processes, behind a token that the job made.
 */
@NullMarked
package io.millrace.exchange;

import org.jspecify.annotations.NullMarked;
