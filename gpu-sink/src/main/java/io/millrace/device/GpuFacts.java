package io.millrace.device;

/**
 * What the driver tells of a GPU.
 *
 * @param number as the process counts those that it may use
 * @param name as "NVIDIA H200"
 * @param uuid as "GPU-5e8a1a5c-...", the same for all processes
 * @param computeCapability as "9.0"
 */
public record GpuFacts(int number, String name, String uuid, long memoryBytes, String computeCapability) {}
