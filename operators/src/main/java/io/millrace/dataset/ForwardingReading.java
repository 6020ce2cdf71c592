package io.millrace.dataset;

import io.millrace.sample.Sample;
import java.io.IOException;

/**
 * A reading that does something with the samples of another one, whose figures are its own.
 *
 * <p>Tested by {@code GuardedDatasetTest}.
 */
public abstract class ForwardingReading implements Dataset.Reading {
    private final Dataset.Reading reading;

    protected ForwardingReading(Dataset.Reading reading) {
        this.reading = reading;
    }

    @Override
    public Sample read(int i) throws IOException {
        return reading.read(i);
    }

    @Override
    public long remoteCpuNanos() {
        return reading.remoteCpuNanos();
    }

    @Override
    public long remoteCoreWaitNanos() {
        return reading.remoteCoreWaitNanos();
    }

    @Override
    public long queuedNanos() {
        return reading.queuedNanos();
    }

    @Override
    public int obtained() {
        return reading.obtained();
    }
}
