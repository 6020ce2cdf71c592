package io.millrace.python;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.lifecycle.Handles;
import io.millrace.metrics.OwnProcesses;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Python process that calls the user's function. It ends with the thread that started it: the system kills it when that
 * thread ends, and it ends by itself when the control channel ends.
 *
 * <p>One thread starts, uses and closes a worker. An interrupt of this thread ends the worker.
 */
final class PythonWorker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PythonWorker.class);

    private static final ObjectMapper JSON = new ObjectMapper();

    /** The time for the import of the user's modules. Large packages on a slow disk need a minute. */
    private static final Duration START_TIMEOUT = Duration.ofMinutes(5);

    /** The bytes that separate what was sent to a child that has ended from what its successor reads. */
    private static final byte[] MARK = mark();

    private static final Duration END_TIMEOUT = Duration.ofSeconds(1);

    /** An exit code above this number states the signal that ended the process. */
    private static final int SIGNALLED = 128;

    private static final Map<Integer, String> SIGNALS =
            Map.of(4, "SIGILL", 6, "SIGABRT", 7, "SIGBUS", 8, "SIGFPE", 9, "SIGKILL", 11, "SIGSEGV", 15, "SIGTERM");

    private final WorkerTask task;
    private final Process process;
    private final WorkerChannel channel;
    private final WorkerWatch watch;
    private @Nullable ByteBuffer memory;
    private @Nullable JsonNode hello;
    private boolean replaced;

    /** Reads a reply: the message, and the memory that is shared with the worker. */
    @FunctionalInterface
    interface Reading<T> {
        T read(ByteBuffer message, ByteBuffer memory) throws MalformedReplyException;
    }

    private PythonWorker(WorkerTask task, Process process, WorkerChannel channel, WorkerWatch watch) {
        this.task = task;
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
        Process process = process(task);
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
                channel.sendWithLength(firstMessage(task));
                return new PythonWorker(task, process, channel, watch);
            } catch (IOException e) {
                throw new PythonException(
                        task.interpreter().command() + " (" + task.interpreter().origin() + ") ended at its start: "
                                + end(process) + "; its output is in the log",
                        e);
            }
        });
    }

    /** Returns the settings of a task, with those that all workers have, as JSON. */
    private static byte[] firstMessage(WorkerTask task) {
        Map<String, Object> values = new LinkedHashMap<>(task.settings());
        values.put("mark", HexFormat.of().formatHex(MARK));
        values.put("memory", WorkerTask.MEMORY_BYTES);
        try {
            return JSON.writeValueAsBytes(values);
        } catch (JsonProcessingException e) {
            throw new PythonException(task.call() + ": args cannot be written as JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static Process process(WorkerTask task) {
        ProcessBuilder builder =
                new ProcessBuilder(task.interpreter().command(), "-u", "-c", WorkerProgram.bootstrap());
        // There is a worker for each slot, so threads within a call would only compete with other slots.
        for (String threads : new String[] {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"}) {
            builder.environment().putIfAbsent(threads, "1");
        }
        builder.environment().put(StartedProcesses.VARIABLE, StartedProcesses.mark());
        try {
            return builder.start();
        } catch (IOException e) {
            String found = e.getMessage() == null ? e.toString() : e.getMessage();
            throw new PythonException(
                    "cannot start Python with " + task.interpreter().command() + " ("
                            + task.interpreter().origin() + "): "
                            + found.substring(found.lastIndexOf(": ") + 1).strip(),
                    e);
        }
    }

    private static byte[] mark() {
        byte[] mark = new byte[16];
        new SecureRandom().nextBytes(mark);
        return mark;
    }

    /**
     * Waits until the worker has imported the user's function.
     *
     * @throws PythonException with Python's error when the function cannot be imported or called
     */
    void awaitStart() {
        if (memory != null) {
            return;
        }
        try {
            ByteBuffer message = exchange(null, WorkerWatch.Functions.one(START_TIMEOUT));
            byte[] json = new byte[message.remaining()];
            message.get(json);
            JsonNode answer = JSON.readTree(json);
            if (answer.hasNonNull("error")) {
                String call = task.call(answer.path("stage").asInt());
                throw new PythonException(call + ": " + answer.path("error").asText());
            }
            hello = answer;
            memory = map(answer.path("pid").asLong(), answer.path("memory").asInt());
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
            throw new PythonException(
                    task.call() + ": the Python process did not start: " + e.getMessage()
                            + "; its output is in the log",
                    e);
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
            process.destroyForcibly();
            throw new WorkerLostException("its reply is malformed: " + e.getMessage());
        }
    }

    /** Returns the memory that is shared with the worker, after {@link #awaitStart}. */
    ByteBuffer memory() {
        return Objects.requireNonNull(memory, "the worker has not started");
    }

    /** Returns whether {@link #awaitStart} has returned. */
    boolean isStarted() {
        return memory != null;
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
        watch.begin(WorkerWatch.Functions.one(START_TIMEOUT));
        try {
            channel.send(ByteBuffer.wrap(MARK));
            ByteBuffer ready = channel.receive();
            if (ready != null && ready.remaining() == Integer.BYTES) {
                watchChild(Integer.toUnsignedLong(ready.getInt()));
                replaced = true;
            }
        } catch (ClosedByInterruptException e) {
            throw interrupted(e);
        } catch (IOException | MalformedReplyException | ChildEndedException e) {
            LOG.debug("{}: the process cannot be replaced", task.name(), e);
        } finally {
            watch.end();
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
                    late ? noAnswer(functions, function) : "the process " + end(e.exitCode()), function);
        } catch (ClosedByInterruptException e) {
            throw interrupted(e);
        } catch (IOException e) {
            // The worker's end is the reason.
            LOG.debug("{}: the channel has ended", task.name(), e);
        } catch (MalformedReplyException e) {
            process.destroyForcibly();
            throw new WorkerLostException("its reply is malformed: " + e.getMessage());
        } finally {
            watch.end();
        }
        if (watch.late()) {
            throw new WorkerLostException(noAnswer(functions, functions.current()), functions.current());
        }
        throw new WorkerLostException("the process " + end(process), functions.current());
    }

    private static String noAnswer(WorkerWatch.Functions functions, int function) {
        return "there was no answer within "
                + functions.timeouts().get(function).toSeconds() + " s";
    }

    /** Describes the end of the process, which is awaited for a short time. */
    private static String end(Process process) {
        try {
            if (!process.waitFor(END_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                return "closed its channel";
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
            return "was ended by an interrupt";
        }
        int code = process.exitValue();
        return end(code <= SIGNALLED ? code : SIGNALLED - code);
    }

    /** Describes an end by its exit code, which is negative for a signal. */
    private static String end(int code) {
        if (code >= 0) {
            return "ended with exit code " + code;
        }
        int signal = -code;
        return "was killed by signal " + signal + (SIGNALS.containsKey(signal) ? " (" + SIGNALS.get(signal) + ")" : "");
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
            if (process.waitFor(END_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}
