package io.millrace.device.bench;

/** The kind of memory that holds micro-batches. */
public enum SourceMemory {
    /** Ordinary memory: the driver copies it once more before the device can read it. */
    PAGEABLE,
    /** Page-locked memory, which the device reads by itself. */
    PINNED
}
