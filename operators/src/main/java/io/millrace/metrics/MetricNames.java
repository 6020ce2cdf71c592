package io.millrace.metrics;

/**
 * The names of Millrace's metrics in Flink's metric system. A stage's are found as
 * {@code <subtask>.<operator>.millrace.<name>}, and the operator carries the stage's name.
 */
public final class MetricNames {
    /** The group that holds all of ours. */
    public static final String GROUP = "millrace";

    /** Nanoseconds that the stage itself worked; waiting for input and blocking on output are not in it. */
    public static final String OWN_NANOS = "ownNanos";

    /** Nanoseconds between handing on one record and receiving the next: high means that the stage before is slow. */
    public static final String WAIT_IN_NANOS = "waitInNanos";

    /**
     * Nanoseconds spent in handing records on. Behind a network edge: high means that what follows is slow. Within a
     * chain the following stages' work is part of it.
     */
    public static final String WAIT_OUT_NANOS = "waitOutNanos";

    /** CPU nanoseconds of the stage's own work, measured on a sample of the records and scaled up. */
    public static final String CPU_NANOS = "cpuNanos";

    /**
     * Nanoseconds for which the thread that the stage works on was ready to run, and other threads had the cores; not a
     * number where the system does not tell. The stages of a chain share a thread, and show the same figure. Of the stage
     * "read": its reading threads' sum, while they read; of "train": the trainer's thread's.
     */
    public static final String CORE_WAIT_NANOS = "coreWaitNanos";

    /** Samples per second of own time: what the subtask could do were it never waiting. Not a number before the first. */
    public static final String RECORDS_PER_OWN_SECOND = "recordsPerOwnSecond";

    /** A histogram: own time of each sample, in nanoseconds. */
    public static final String OWN_NANOS_PER_RECORD = "ownNanosPerRecord";

    /** The cores of the machine, or of the container, that the process may use. */
    public static final String MACHINE_CORES = "machineCores";

    /** Of these, how many were busy lately, whoever used them; not a number when unknown. */
    public static final String MACHINE_BUSY_CORES = "machineBusyCores";

    /** How many of these the process itself used; not a number when unknown. */
    public static final String PROCESS_BUSY_CORES = "processBusyCores";

    /** Samples that the stage handled. */
    public static final String RECORDS = "records";

    /** Bytes of field data that the stage produced. */
    public static final String BYTES = "bytes";

    /** Samples that the stage quarantined. */
    public static final String FAILURES = "failures";

    /** Nanoseconds that the trainer waited for a whole batch. */
    public static final String STARVED_NANOS = "starvedNanos";

    /** Nanoseconds in forward, backward and optimizer. */
    public static final String STEP_NANOS = "stepNanos";

    /** Nanoseconds in moving batches to the device and transforming them there. */
    public static final String TRANSFER_NANOS = "transferNanos";

    /** A histogram: nanoseconds of each training step as a whole, from batch to result. */
    public static final String STEP_TIME_NANOS = "stepTimeNanos";

    /** A histogram: nanoseconds that the trainer waited for each batch but the first. */
    public static final String WAIT_TIME_NANOS = "waitTimeNanos";

    /** Nanoseconds in evaluation batches. */
    public static final String EVALUATION_NANOS = "evaluationNanos";

    /** Nanoseconds in which the training operator put rows at their place. */
    public static final String ASSEMBLE_NANOS = "assembleNanos";

    /**
     * The trainer's clock in nanoseconds, from any origin, when its figures were last brought up to date, which is after each
     * batch; not a number before the first. Whoever divides their differences by its differences is misled neither by the
     * time that readings take to arrive nor by batches that are half done.
     */
    public static final String CLOCK_NANOS = "clockNanos";

    /** Training steps done. */
    public static final String STEPS = "steps";

    /** Samples trained on. */
    public static final String SAMPLES = "samples";

    /** The epoch being trained, from 0. */
    public static final String EPOCH = "epoch";

    /** Mean loss of the latest step. */
    public static final String LOSS = "loss";

    /** Accuracy of the latest evaluation, absent before the first. */
    public static final String ACCURACY = "accuracy";

    /** Rows that wait in the training operator for their batch to become whole. */
    public static final String WAITING_ROWS = "waitingRows";

    /** Of these, rows whose batch has no memory yet. */
    public static final String PARKED_ROWS = "parkedRows";

    /** Bytes that the micro-batches of these take. */
    public static final String PARKED_BYTES = "parkedBytes";

    /** The most rows that ever waited in this attempt of the training operator. */
    public static final String MOST_WAITING_ROWS = "mostWaitingRows";

    /** The most bytes that parked rows ever took in this attempt of the training operator. */
    public static final String MOST_PARKED_BYTES = "mostParkedBytes";

    /** Page-locked bytes that micro-batches take; only where the device's memory is not the host's. */
    public static final String PINNED_BYTES = "pinnedBytes";

    /** Buffers of micro-batches that found no page-locked memory: copies from these are slower. */
    public static final String PAGEABLE_BUFFERS = "pageableBuffers";

    /** Nanoseconds in which the training operator waited for memory of a batch, as all was in training. */
    public static final String SLOT_WAIT_NANOS = "slotWaitNanos";

    /** 10^9 bytes a second, of the copies to the device that were timed; not a number before the first. */
    public static final String TRANSFER_GIGABYTES_PER_SECOND = "transferGigabytesPerSecond";

    /** Which part of these copies' time passed while the engine worked, 0 to 1; not a number before the first. */
    public static final String COPY_OVERLAP = "copyOverlap";

    /** Nanoseconds in which the device's engine worked on batches, by the device's own clock. */
    public static final String ENGINE_NANOS = "engineNanos";

    /** Nanoseconds in which the engine, done with all before, waited for the copies of a batch. */
    public static final String COPY_WAIT_NANOS = "copyWaitNanos";

    /** Bytes of the device's memory that are taken, by all processes; not a number when unknown, likewise below. */
    public static final String DEVICE_MEMORY_BYTES = "deviceMemoryBytes";

    /** Bytes of the device's memory. */
    public static final String DEVICE_MEMORY_TOTAL_BYTES = "deviceMemoryTotalBytes";

    /** Share of the time in which the GPU computed anything, 0 to 1, as NVML tells. */
    public static final String GPU_UTILIZATION = "gpuUtilization";

    /** The power that the GPU takes, in watts. */
    public static final String GPU_WATTS = "gpuWatts";

    /** How often the training was begun again from a checkpoint. */
    public static final String RESTARTS = "restarts";

    /** Checkpoints of the training operator, those before a restart included; likewise below. */
    public static final String CHECKPOINTS = "checkpoints";

    /** Bytes of the training operator's state in the latest checkpoint. */
    public static final String CHECKPOINT_BYTES = "checkpointBytes";

    /** Nanoseconds, over all checkpoints, in which the trainer finished whole batches before its state was copied. */
    public static final String CHECKPOINT_DRAIN_NANOS = "checkpointDrainNanos";

    /** Nanoseconds, over all checkpoints, in which the trainer's state was copied in memory, and no step was made. */
    public static final String CHECKPOINT_COPY_NANOS = "checkpointCopyNanos";

    private MetricNames() {}
}
