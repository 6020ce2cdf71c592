/**
 * The exchange that keeps the replicas of a model equal: each step's gradients are averaged over all ranks, and all
 * ranks get the same bits, whether they are threads, processes or hosts.
 *
 * <p>Read {@link io.millrace.exchange.Replicas} first. It joins the ranks through one of three transports: {@code
 * ThreadTransport} within a process, {@code SharedMemoryTransport} within a host, {@code RingTransport} between hosts.
 * The order of sums depends only on the number of ranks, see {@link io.millrace.exchange.FloatSegments}, so all transports
 * compute the same result.
 *
 * <p>The package is plain Java. From other processes it reads only frames of longs and floats, and only on connections that
 * sent the job's token.
 *
 * <p>It does not promise to continue without a rank: when a rank is gone, every call fails, and the job restarts from a
 * checkpoint. Connections are not encrypted.
 */
@NullMarked
package io.millrace.exchange;

import org.jspecify.annotations.NullMarked;
