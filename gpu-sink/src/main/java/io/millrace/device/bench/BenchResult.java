package io.millrace.device.bench;

import java.util.List;

/**
 * What was measured of a device.
 *
 * @param device for people, as "cuda:0 (NVIDIA H200)"
 * @param peakGigabytesPerSecond of the best large copy from page-locked memory; 10^9 bytes
 * @param stepMillis how long the engine worked on a batch
 * @param batchBytes of the largest batches
 */
public record BenchResult(
        String device, double peakGigabytesPerSecond, double stepMillis, long batchBytes, List<BenchRow> rows) {
    public BenchResult {
        rows = List.copyOf(rows);
    }
}
