package io.millrace.python;

import io.millrace.dataset.BadSampleException;
import io.millrace.sample.Sample;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** A worker that calls functions for samples. One thread uses it. */
final class FunctionWorker implements AutoCloseable {
    /** The place in the shared memory where the worker writes the number of the function that it calls. */
    private static final int NUMBER = WorkerTask.MEMORY_BYTES - 64;

    private final WorkerSettings settings;
    private final PythonWorker worker;
    private final SampleWriter writer = new SampleWriter();
    private final List<Duration> timeouts;

    /**
     * Starts a worker, and does not wait until it has imported the functions.
     *
     * @param samples receives the samples of the functions' code
     */
    FunctionWorker(WorkerSettings settings, CodeSamples samples) {
        this.settings = settings;
        this.worker = PythonWorker.start(settings, samples);
        this.timeouts = IntStream.range(0, settings.stages())
                .mapToObj(stage -> settings.stage(stage).timeout())
                .toList();
    }

    /**
     * Calls the functions for a sample, which stays unchanged.
     *
     * @param bits the random bits of the sample, 128 for each function
     * @return the reply, whose fields are valid until the next call
     * @throws BadSampleException when the sample does not fit into the memory
     * @throws WorkerLostException when the process ended or took too long; {@link #replaced} returns whether another one works
     * @throws PythonException when the function cannot be imported, or the calling thread was interrupted
     */
    RunReply call(Sample sample, long[] bits) throws BadSampleException, WorkerLostException {
        worker.awaitStart();
        ByteBuffer shared = worker.memory();
        ByteBuffer message = writer.write(sample, shared.slice(0, shared.capacity() / 2), bits);
        shared.putInt(NUMBER, 0);
        WorkerWatch.Functions functions = new WorkerWatch.Functions(timeouts, () -> shared.getInt(NUMBER));
        return worker.call(
                message, functions, (reply, memory) -> RunReply.read(reply, memory, sample, settings.stages()));
    }

    /** Returns whether a process that ended in the latest call has been replaced by one that can be called. */
    boolean replaced() {
        return worker.replaced();
    }

    @Override
    public void close() {
        worker.close();
    }
}
