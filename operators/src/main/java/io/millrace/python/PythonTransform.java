package io.millrace.python;

import io.millrace.dataset.BadSampleException;
import io.millrace.metrics.CodeProfile;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import io.millrace.transform.Transform;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transform that calls a function in a Python process. A worker that ends or hangs is replaced, and the sample is tried once
 * more. Then the sample is quarantined.
 */
final class PythonTransform implements Transform {
    private static final Logger LOG = LoggerFactory.getLogger(PythonTransform.class);

    private final WorkerSettings settings;
    private final CodeSamples samples;
    private @Nullable PythonWorker worker;
    private long cpuNanos;

    PythonTransform(WorkerSettings settings) {
        this.settings = settings;
        this.samples = new CodeSamples(settings.call());
    }

    /** Starts the worker now, in this thread, so that it imports its modules while other stages open. */
    PythonTransform started() {
        worker = PythonWorker.start(settings, samples);
        return this;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        cpuNanos = 0;
        long low = bits(random);
        long high = bits(random);
        WorkerReply reply;
        try {
            reply = call(sample, low, high);
        } catch (WorkerLostException first) {
            LOG.warn(
                    "{}: {} on sample {} ({}); the worker is restarted and the sample tried once more",
                    settings.name(),
                    first.getMessage(),
                    sample.index(),
                    sample.key());
            close();
            try {
                reply = call(sample, low, high);
            } catch (WorkerLostException second) {
                close();
                throw new BadSampleException(
                        sample.key(), -1, settings.call() + ", tried twice: " + second.getMessage());
            }
        }
        cpuNanos = reply.cpuNanos();
        switch (reply.status()) {
            case DONE -> {
                sample.removeFields();
                reply.fields().forEach(named -> sample.put(named.name(), named.field()));
                sample.relabel(reply.label());
            }
            case BAD_SAMPLE -> {
                if (!reply.trace().isEmpty()) {
                    LOG.warn(
                            "{}: sample {} ({}) is bad: {}",
                            settings.name(),
                            sample.index(),
                            sample.key(),
                            reply.trace());
                }
                throw new BadSampleException(sample.key(), -1, reply.reason());
            }
            case WRONG_PIPELINE -> throw new PythonException(reply.reason());
        }
    }

    private WorkerReply call(Sample sample, long low, long high) throws BadSampleException, WorkerLostException {
        PythonWorker running = worker;
        if (running == null) {
            running = PythonWorker.start(settings, samples);
            worker = running;
        }
        return running.call(sample, low, high);
    }

    private static long bits(SampleRandom random) {
        return (long) random.nextInt() << Integer.SIZE | Integer.toUnsignedLong(random.nextInt());
    }

    @Override
    public CodeProfile code() {
        return samples.profile();
    }

    @Override
    public long remoteCpuNanos() {
        return cpuNanos;
    }

    @Override
    public void close() {
        PythonWorker running = worker;
        worker = null;
        if (running != null) {
            running.close();
        }
    }
}
