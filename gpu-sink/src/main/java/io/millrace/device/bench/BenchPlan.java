package io.millrace.device.bench;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * What is measured: every combination of memory, mode, batches in flight and size.
 *
 * @param inFlight how many batches the device has memory for, each 1 to {@link #MOST_IN_FLIGHT}
 * @param microBatchBytes sizes of what is copied at a time, each at least 1
 * @param batchBytes about how large a batch is: as many micro-batches as fit, at least one
 * @param step how long the engine works on a batch, for the overlap; empty: twice what its copy takes at best
 * @param repetitions of each measurement, at least 1; the median is told
 * @param least how long each of them takes at least
 */
public record BenchPlan(
        List<Integer> inFlight,
        List<Integer> microBatchBytes,
        int batchBytes,
        Optional<Duration> step,
        int repetitions,
        Duration least) {
    /** The most batches in flight that are measured. */
    public static final int MOST_IN_FLIGHT = 8;

    /** The largest batch, and micro-batch: one block of memory holds it. */
    public static final int MOST_BYTES = 1 << 30;

    public BenchPlan {
        inFlight = List.copyOf(inFlight);
        microBatchBytes = List.copyOf(microBatchBytes);
        inFlight.forEach(batches -> require("batches in flight", batches, MOST_IN_FLIGHT));
        microBatchBytes.forEach(bytes -> require("the bytes of a micro-batch", bytes, MOST_BYTES));
        require("the bytes of a batch", batchBytes, MOST_BYTES);
        require("repetitions", repetitions, Integer.MAX_VALUE);
        if (inFlight.isEmpty() || microBatchBytes.isEmpty()) {
            throw new IllegalArgumentException("expected at least one number of batches in flight and one size");
        }
        if (step.isPresent() && (step.get().isNegative() || step.get().isZero())) {
            throw new IllegalArgumentException("the step's length: expected more than nothing, found " + step.get());
        }
        if (least.isNegative()) {
            throw new IllegalArgumentException("the least duration: expected at least 0, found " + least);
        }
    }

    private static void require(String what, int found, int most) {
        if (found < 1 || found > most) {
            throw new IllegalArgumentException(what + ": expected 1 to " + most + ", found " + found);
        }
    }

    /** How many measurements it has. */
    public int size() {
        return SourceMemory.values().length * CopyMode.values().length * inFlight.size() * microBatchBytes.size();
    }

    /** How many micro-batches of that size a batch is. */
    int microBatches(int bytes) {
        return Math.max(1, batchBytes / bytes);
    }

    /** The bytes of the largest batch. */
    long mostBatchBytes() {
        return microBatchBytes.stream()
                .mapToLong(bytes -> (long) bytes * microBatches(bytes))
                .max()
                .orElseThrow();
    }

    /** The most that batches take of the device's memory at a time. */
    long mostDeviceBytes() {
        return Collections.max(inFlight) * mostBatchBytes();
    }
}
