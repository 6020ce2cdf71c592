package io.millrace.device.bench;

/**
 * The measurements of one combination.
 *
 * @param inFlight the number of batches that the device has memory for
 * @param microBatchBytes the size of one copy in bytes
 * @param gigabytesPerSecond the median of the repetitions, in 10^9 bytes per second
 * @param spread the difference between the fastest and the slowest repetition, as a share of the median
 * @param shareOfPeak the speed as a share of the speed of the fastest large copy from page-locked memory, which the
 *     same command measured
 * @param gigabytesPerSecondInSteps the speed of the copies while steps run, in 10^9 bytes per second: the median of the
 *     repetitions, by the device's own events; 0 for copies that were too short to measure
 * @param overlap the share of the copies' time in which the engine works, 0 to 1, by the device's own events; it cannot
 *     exceed the length of the step divided by the length of the copy of a batch
 */
public record BenchRow(
        SourceMemory memory,
        CopyMode mode,
        int inFlight,
        int microBatchBytes,
        double gigabytesPerSecond,
        double spread,
        double shareOfPeak,
        double gigabytesPerSecondInSteps,
        double overlap) {}
