package io.millrace.python;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.lifecycle.Handles;
import io.millrace.metrics.OwnProcesses;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Python process that calls the user's function, or a parent that makes the user's objects and then starts members, which are
 * copies of it. A process ends with the thread that started it, and a member with its parent: the system kills it. It also ends by
 * itself when the control channel ends.
 *
 * <p>One thread starts, uses and closes a worker. An interrupt of this thread ends the worker.
 *
 * <p>Tested by {@code PythonDatasetTest} and {@code PythonTransformTest}.
 */
final class PythonWorker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PythonWorker.class);

    private final WorkerTask task;
    private final Process process;
    private final WorkerChannel channel;
    private final WorkerWatch watch;
    private final Kind kind;
    private @Nullable ByteBuffer memory;
    private @Nullable JsonNode hello;
    private boolean replaced;

    private enum Kind {
        /** The process was started for this worker. */
        OWN,
        /** The process is a copy of one that has several copies. */
        MEMBER
    }

    /** Reads a reply: the message, and the memory that is shared with the worker. */
    @FunctionalInterface
    interface Reading<T> {
        T read(ByteBuffer message, ByteBuffer memory) throws MalformedReplyException;
    }

    private PythonWorker(WorkerTask task, Kind kind, Process process, WorkerChannel channel, WorkerWatch watch) {
        this.task = task;
        this.kind = kind;
        this.process = process;
        this.channel = channel;
        this.watch = watch;
    }

    /**
     * Starts a process, and does not wait until it has imported the user's modules.
     *
     * @param samples receives the samples of the user's code
     * @throws PythonException when there is no interpreter
     */
    static PythonWorker start(WorkerTask task, CodeSamples samples) {
        Process process = WorkerProcess.start(task);
        OwnProcesses.add(process.toHandle());
        Handles handles = new Handles();
        handles.add(() -> process.destroyForcibly());
        return handles.closeOnFailure(() -> {
            try {
                WorkerChannel channel = handles.add(WorkerChannel.open(process, samples));
                // The pipes end when the channel ends.
                process.getOutputStream().close();
                process.getInputStream().close();
                WorkerLog.start(task.name(), process.getErrorStream());
                WorkerWatch watch = new WorkerWatch(task.name(), process, channel);
                watch.start();
                channel.sendWithLength(WorkerProgram.modules());
                channel.sendWithLength(WorkerProcess.firstMessage(task));
                return new PythonWorker(task, Kind.OWN, process, channel, watch);
            } catch (IOException e) {
                throw new PythonException(
                        task.interpreter().command() + " (" + task.interpreter().origin() + ") ended at its start: "
                                + WorkerProcess.end(process) + "; its output is in the log",
                        e);
            }
        });
    }

    /** Waits until the worker has imported the function; throws PythonException with Python's error when it cannot be called. */
    void awaitStart() {
        if (hello != null) {
            return;
        }
        try {
            JsonNode answer = WorkerProcess.json(exchange(null, starting()));
            if (answer.hasNonNull("error")) {
                String call = task.call(answer.path("stage").asInt());
                String origin = answer.path("interpreter").asBoolean()
                        ? " (" + task.interpreter().origin() + ")"
                        : "";
                throw new PythonException(call + ": " + answer.path("error").asText() + origin);
            }
            hello = answer;
            if (answer.has("memory")) {
                memory = map(answer.path("pid").asLong(), answer.path("memory").asInt());
            }
            if (answer.has("child")) {
                watchChild(answer.path("child").asLong());
            }
            LOG.info(
                    "{}: {} runs in process {} with Python {} ({})",
                    task.name(),
                    task.call(),
                    answer.path("pid").asLong(),
                    answer.path("python").asText(),
                    answer.path("executable").asText());
        } catch (IOException | WorkerLostException e) {
            throw notStarted(e);
        }
    }

    private WorkerWatch.Functions starting() {
        return WorkerWatch.Functions.one(task.startTimeout());
    }

    private PythonException notStarted(Exception e) {
        String remedy = watch.late() ? " (start_timeout), and a longer set-up needs a longer time" : "";
        return new PythonException(
                task.call() + ": the Python process did not start: " + e.getMessage() + remedy
                        + "; its output is in the log",
                e);
    }

    /** Returns whether this process starts members and does no work itself. Known after {@link #awaitStart}. */
    boolean isParent() {
        return hello().path("family").asBoolean();
    }

    /** Returns the number of the process that calls the user's code. */
    long pid() {
        return watch.worker().pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Starts a member. Only for a {@linkplain #isParent parent}.
     *
     * @param member the settings of the parent with another name
     * @param samples receives the samples of the user's code
     * @throws PythonException when the parent has ended
     */
    PythonWorker member(WorkerTask member, CodeSamples samples) {
        Handles handles = new Handles();
        return handles.closeOnFailure(() -> {
            try {
                channel.sendWithLength("start".getBytes(StandardCharsets.UTF_8));
                JsonNode descriptors = WorkerProcess.json(exchange(null, starting()));
                Path folder = Path.of("/proc", String.valueOf(process.pid()), "fd");
                WorkerChannel opened = handles.add(WorkerChannel.open(
                        folder.resolve(descriptors.path("incoming").asText()),
                        folder.resolve(descriptors.path("outgoing").asText()),
                        samples));
                WorkerLog.start(
                        member.name(),
                        Channels.newInputStream(FileChannel.open(
                                folder.resolve(descriptors.path("output").asText()), StandardOpenOption.READ)));
                WorkerWatch watching = new WorkerWatch(member.name(), process, opened);
                handles.add(watching);
                watching.start();
                PythonWorker started = new PythonWorker(member, Kind.MEMBER, process, opened, watching);
                started.hello = hello();
                started.memory = map(process.pid(), descriptors.path("memory").asInt());
                channel.sendWithLength("opened".getBytes(StandardCharsets.UTF_8));
                started.awaitChild();
                return started;
            } catch (IOException | WorkerLostException | MalformedReplyException | ChildEndedException e) {
                throw notStarted(e);
            }
        });
    }

    /** Waits until a copy works. */
    private void awaitChild() throws IOException, MalformedReplyException, ChildEndedException {
        watch.begin(starting());
        try {
            ByteBuffer ready = channel.receive();
            if (ready == null || ready.remaining() != Integer.BYTES) {
                throw new IOException(
                        "the process " + (process.isAlive() ? "closed its channel" : WorkerProcess.end(process)));
            }
            watchChild(Integer.toUnsignedLong(ready.getInt()));
        } finally {
            watch.end();
        }
    }

    private void watchChild(long pid) {
        // A child that has ended already is reported by the next call.
        ProcessHandle.of(pid).ifPresent(child -> {
            OwnProcesses.add(child);
            watch.watch(child);
        });
    }

    private static ByteBuffer map(long pid, int descriptor) throws IOException {
        Path path = Path.of("/proc", String.valueOf(pid), "fd", String.valueOf(descriptor));
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            // The garbage collector unmaps it, because fields refer to it after the worker has ended.
            return file.map(FileChannel.MapMode.READ_WRITE, 0, WorkerTask.MEMORY_BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN);
        }
    }

    /**
     * Sends a message and reads the reply.
     *
     * @param message bytes that begin with their length
     * @throws WorkerLostException when the worker ended or took too long; it is of no further use
     * @throws PythonException when the calling thread was interrupted
     */
    <T> T call(ByteBuffer message, Reading<T> reading) throws WorkerLostException {
        return call(message, WorkerWatch.Functions.one(task.timeout()), reading);
    }

    /** Sends a message for several functions that have times of their own, and reads the reply. */
    <T> T call(ByteBuffer message, WorkerWatch.Functions functions, Reading<T> reading) throws WorkerLostException {
        replaced = false;
        try {
            return reading.read(exchange(message, functions), memory());
        } catch (MalformedReplyException e) {
            kill();
            throw new WorkerLostException("its reply is malformed: " + e.getMessage());
        }
    }

    /** Returns the memory that is shared with the worker, after {@link #awaitStart}. */
    ByteBuffer memory() {
        return Objects.requireNonNull(memory, "the worker has not started");
    }

    /** Returns whether {@link #awaitStart} has returned. */
    boolean isStarted() {
        return hello != null;
    }

    /** Returns what the worker said after its start. */
    JsonNode hello() {
        return Objects.requireNonNull(hello, "the worker has not started");
    }

    /** Returns whether a process that ended in the latest call has been replaced by one that can be called. */
    boolean replaced() {
        return replaced;
    }

    /** Lets the process that has imported the modules start another child. */
    private void replaceChild() {
        try {
            channel.send(ByteBuffer.wrap(WorkerProcess.MARK));
            awaitChild();
            replaced = true;
        } catch (ClosedByInterruptException e) {
            throw interrupted(e);
        } catch (IOException | MalformedReplyException | ChildEndedException e) {
            LOG.debug("{}: the process cannot be replaced", task.name(), e);
        }
    }

    private PythonException interrupted(ClosedByInterruptException e) {
        return new PythonException("interrupted while " + task.call() + " worked on a sample", e);
    }

    private ByteBuffer exchange(@Nullable ByteBuffer message, WorkerWatch.Functions functions)
            throws WorkerLostException {
        watch.begin(functions);
        try {
            if (message != null) {
                channel.send(message);
            }
            ByteBuffer reply = channel.receive();
            if (reply != null) {
                return reply;
            }
        } catch (ChildEndedException e) {
            boolean late = watch.late();
            int function = functions.current();
            replaceChild();
            throw new WorkerLostException(
                    late ? noAnswer(functions, function) : "the process " + WorkerProcess.end(e.exitCode()), function);
        } catch (ClosedByInterruptException e) {
            throw interrupted(e);
        } catch (IOException e) {
            // The worker's end is the reason.
            LOG.debug("{}: the channel has ended", task.name(), e);
        } catch (MalformedReplyException e) {
            kill();
            throw new WorkerLostException("its reply is malformed: " + e.getMessage());
        } finally {
            watch.end();
        }
        if (watch.late()) {
            throw new WorkerLostException(noAnswer(functions, functions.current()), functions.current());
        }
        throw new WorkerLostException("the process " + WorkerProcess.end(process), functions.current());
    }

    private static String noAnswer(WorkerWatch.Functions functions, int function) {
        return "there was no answer within "
                + functions.timeouts().get(function).toSeconds() + " s";
    }

    /** Ends the process. A process that does not end within a second is killed. */
    @Override
    public void close() {
        watch.close();
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("{}: the channel cannot be closed", task.name(), e);
        }
        try {
            working().onExit().get(WorkerProcess.END_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            kill();
        } catch (ExecutionException | TimeoutException e) {
            kill();
        }
    }

    private void kill() {
        working().destroyForcibly();
    }

    /** Returns the process that ends with this worker. */
    private ProcessHandle working() {
        return kind == Kind.OWN ? process.toHandle() : watch.worker();
    }
}
