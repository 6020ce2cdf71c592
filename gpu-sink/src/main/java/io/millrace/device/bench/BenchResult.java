package io.millrace.device.bench;

import java.util.List;

/**
 * The measurements of a device.
 *
 * @param device the device's name for people, for example "cuda:0 (NVIDIA H200)"
 * @param peakGigabytesPerSecond the speed of the fastest large copy from page-locked memory, in 10^9 bytes per second
 * @param stepMillis the time that the engine worked on a batch
 * @param batchBytes the size of the largest batches
 */
public record BenchResult(
        String device, double peakGigabytesPerSecond, double stepMillis, long batchBytes, List<BenchRow> rows) {
    public BenchResult {
        rows = List.copyOf(rows);
    }
}
