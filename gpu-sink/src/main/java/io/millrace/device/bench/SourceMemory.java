package io.millrace.device.bench;

/** The kind of memory that holds micro-batches. */
public enum SourceMemory {
    /** Pageable memory. The driver makes another copy of the data before the device can read them. */
    PAGEABLE,
    /** Page-locked memory, which the device reads by itself. */
    PINNED
}
