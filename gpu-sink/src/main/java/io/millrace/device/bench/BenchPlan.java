package io.millrace.device.bench;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * The plan of a measurement, which covers every combination of memory, mode, batches in flight and size.
 *
 * @param inFlight the numbers of batches that the device has memory for, each 1 to {@link #MOST_IN_FLIGHT}
 * @param microBatchBytes the sizes of one copy in bytes, each at least 1
 * @param batchBytes the approximate size of a batch in bytes; a batch has as many micro-batches as fit, and at least
 *     one
 * @param step the time for which the engine works on a batch when the overlap is measured; empty for twice the time of
 *     the fastest copy of a batch
 * @param repetitions the number of repetitions of each measurement, at least 1; the median is reported
 * @param least the shortest duration of each measurement
 */
public record BenchPlan(
        List<Integer> inFlight,
        List<Integer> microBatchBytes,
        int batchBytes,
        Optional<Duration> step,
        int repetitions,
        Duration least) {
    /** The largest number of batches in flight. */
    public static final int MOST_IN_FLIGHT = 8;

    /** The largest size of a batch or micro-batch in bytes, because one block of memory must hold it. */
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
            throw new IllegalArgumentException("the step's length: expected more than 0, found " + step.get());
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

    /** Returns the number of measurements. */
    public int size() {
        return SourceMemory.values().length * CopyMode.values().length * inFlight.size() * microBatchBytes.size();
    }

    /** Returns the number of micro-batches of that size in a batch. */
    int microBatches(int bytes) {
        return Math.max(1, batchBytes / bytes);
    }

    /** Returns the size of the largest batch in bytes. */
    long mostBatchBytes() {
        return microBatchBytes.stream()
                .mapToLong(bytes -> (long) bytes * microBatches(bytes))
                .max()
                .orElseThrow();
    }

    /** Returns the device memory in bytes that the batches of the largest combination need. */
    long mostDeviceBytes() {
        return Collections.max(inFlight) * mostBatchBytes();
    }
}
