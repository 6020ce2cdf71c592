package io.millrace.device;

/**
 * The driver's facts of a GPU.
 *
 * @param number the number of the GPU among those that the process may use
 * @param name the model, such as "NVIDIA H200"
 * @param uuid the identifier, such as "GPU-5e8a1a5c-...", the same in all processes
 * @param computeCapability the compute capability, such as "9.0"
 */
public record GpuFacts(int number, String name, String uuid, long memoryBytes, String computeCapability) {}
