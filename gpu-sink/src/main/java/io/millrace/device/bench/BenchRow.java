package io.millrace.device.bench;

/**
 * What one combination gave.
 *
 * @param inFlight batches that the device has memory for
 * @param microBatchBytes what is copied at a time
 * @param gigabytesPerSecond 10^9 bytes; the median of the repetitions
 * @param spread of these: the fastest less the slowest, as a share of the median
 * @param shareOfPeak of the best large copy from page-locked memory that the same command measured
 * @param overlap the share of the copies' time that passes while the engine works, 0 to 1, by the device's own events; at
 *     most the step's length by that of the batch's copy
 */
public record BenchRow(
        SourceMemory memory,
        CopyMode mode,
        int inFlight,
        int microBatchBytes,
        double gigabytesPerSecond,
        double spread,
        double shareOfPeak,
        double overlap) {}
