package io.millrace.python;

import io.millrace.dataset.BadSampleException;
import io.millrace.metrics.CodeProfile;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import io.millrace.sample.StageDone;
import io.millrace.transform.Transform;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transform that calls a function in a Python process, and the functions of the transforms directly behind it in the same call.
 * Those stages take the results over. A worker that ends or hangs is replaced, and the sample is tried once
 * more. If the same function ends it again, the sample is quarantined.
 */
final class PythonTransform implements Transform {
    private static final Logger LOG = LoggerFactory.getLogger(PythonTransform.class);

    private static final int MOST_LOSSES = 2;

    private final WorkerSettings settings;
    private final UnpackedModules modules;
    private final CodeSamples samples;

    /** The random numbers of the transforms behind. */
    private final List<SampleRandom> behind;

    private final long[] bits;
    private @Nullable FunctionWorker worker;
    private long cpuNanos;
    private @Nullable StageDone done;

    /** Creates the transform for modules that lie where the settings name them. */
    PythonTransform(WorkerSettings settings) {
        this(settings, UnpackedModules.of(List.of(), ModuleArchives.NONE), List.of());
    }

    /**
     * Creates the transform, and takes ownership of its modules.
     *
     * @param behind the random numbers of the transforms that the settings name behind this one
     */
    PythonTransform(WorkerSettings settings, UnpackedModules modules, List<SampleRandom> behind) {
        this.settings = settings;
        this.modules = modules;
        this.behind = List.copyOf(behind);
        this.bits = new long[2 * settings.stages()];
        this.samples = new CodeSamples(settings.call());
    }

    /** Starts the worker now, in this thread, so that it imports its modules while other stages open. */
    PythonTransform started() {
        worker = new FunctionWorker(settings, samples);
        return this;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        cpuNanos = 0;
        done = null;
        drawBits(0, random);
        for (int i = 0; i < behind.size(); i++) {
            drawBits(i + 1, behind.get(i).reset(sample.epoch(), sample.index()));
        }
        int[] losses = new int[settings.stages()];
        while (true) {
            try {
                take(call(sample), sample);
                return;
            } catch (WorkerLostException e) {
                if (worker == null || !worker.replaced()) {
                    endWorker();
                }
                WorkerSettings lost = settings.stage(e.stage());
                if (++losses[e.stage()] == MOST_LOSSES) {
                    List<RunReply.Work> unknown = Collections.nCopies(e.stage() + 1, new RunReply.Work(0, 0, 0));
                    refuse(sample, unknown, lost.call() + ", tried twice: " + e.getMessage(), null);
                    return;
                }
                LOG.warn(
                        "{}: {} in {} on sample {} ({}); the worker is restarted and the sample tried once more",
                        settings.name(),
                        e.getMessage(),
                        lost.call(),
                        sample.index(),
                        sample.key());
            }
        }
    }

    private void drawBits(int stage, SampleRandom random) {
        bits[2 * stage] = bits(random);
        bits[2 * stage + 1] = bits(random);
    }

    private static long bits(SampleRandom random) {
        return (long) random.nextInt() << Integer.SIZE | Integer.toUnsignedLong(random.nextInt());
    }

    private RunReply call(Sample sample) throws BadSampleException, WorkerLostException {
        FunctionWorker running = worker;
        if (running == null) {
            running = new FunctionWorker(settings, samples);
            worker = running;
        }
        return running.call(sample, bits);
    }

    private void take(RunReply reply, Sample sample) throws BadSampleException {
        cpuNanos = reply.firstCpuNanos();
        WorkerReply result = reply.result();
        switch (result.status()) {
            case DONE -> {
                sample.removeFields();
                result.fields().forEach(named -> sample.put(named.name(), named.field()));
                sample.relabel(result.label());
                done = done(reply.stages(), null, null);
            }
            case BAD_SAMPLE, OVERSIZED -> {
                if (!result.trace().isEmpty()) {
                    // Warnings are shown in the terminal, where the traceback of each bad sample would bury everything
                    // else.
                    LOG.info(
                            "{}: sample {} ({}) is bad: {}",
                            settings.name(),
                            sample.index(),
                            sample.key(),
                            result.trace());
                }
                refuse(sample, reply.stages(), result.reason(), null);
            }
            case WRONG_PIPELINE ->
                refuse(sample, reply.stages(), result.reason(), new PythonException(result.reason()));
        }
    }

    /** Fails for the last of the stages, which is this one or one behind it. */
    private void refuse(Sample sample, List<RunReply.Work> stages, String reason, @Nullable PythonException failure)
            throws BadSampleException {
        if (stages.size() > 1) {
            done = done(stages, reason, failure);
        } else if (failure != null) {
            throw failure;
        } else {
            throw new BadSampleException(sample.key(), -1, reason);
        }
    }

    /** Returns the work of the stages, null when this one is alone. The last one has the reason and the failure. */
    private @Nullable StageDone done(
            List<RunReply.Work> stages, @Nullable String reason, @Nullable PythonException failure) {
        StageDone all = null;
        for (int i = stages.size() - 1; i >= 0; i--) {
            RunReply.Work work = stages.get(i);
            boolean last = i == stages.size() - 1;
            all = new StageDone(
                    true,
                    work.nanos(),
                    work.cpuNanos(),
                    work.bytes(),
                    last ? reason : null,
                    last ? failure : null,
                    samples.takeLater(i),
                    all);
        }
        return all;
    }

    @Override
    public @Nullable StageDone done() {
        return done;
    }

    @Override
    public CodeProfile code() {
        return samples.profile();
    }

    @Override
    public void addCode(String found) {
        samples.add(found);
    }

    @Override
    public long remoteCpuNanos() {
        return cpuNanos;
    }

    @Override
    public void close() {
        try {
            endWorker();
        } finally {
            modules.close();
        }
    }

    private void endWorker() {
        FunctionWorker running = worker;
        worker = null;
        if (running != null) {
            running.close();
        }
    }
}
