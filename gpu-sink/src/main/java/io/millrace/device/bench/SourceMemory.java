package io.millrace.device.bench;

/** What micro-batches lie in. */
public enum SourceMemory {
    /** As the processor has it; the driver copies it once more on its way. */
    PAGEABLE,
    /** Page-locked: the device reads it by itself. */
    PINNED
}
