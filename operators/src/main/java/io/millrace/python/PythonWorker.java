package io.millrace.python;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
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
 */
final class PythonWorker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PythonWorker.class);

    private static final ObjectMapper JSON = new ObjectMapper();

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
                return new PythonWorker(task, Kind.OWN, process, channel, watch);
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
        values.put("family", task.family());
        try {
            return JSON.writeValueAsBytes(values);
        } catch (JsonProcessingException e) {
            throw new PythonException(task.call() + ": args cannot be written as JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static Process process(WorkerTask task) {
        ProcessBuilder builder =
                new ProcessBuilder(task.interpreter().command(), "-u", "-c", WorkerProgram.bootstrap());
        // The order of a set of texts would differ from process to process.
        builder.environment().put("PYTHONHASHSEED", "0");
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
        if (hello != null) {
            return;
        }
        try {
            JsonNode answer = json(exchange(null, starting()));
            if (answer.hasNonNull("error")) {
                String call = task.call(answer.path("stage").asInt());
                throw new PythonException(call + ": " + answer.path("error").asText());
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

    private static JsonNode json(ByteBuffer message) throws IOException {
        byte[] json = new byte[message.remaining()];
        message.get(json);
        return JSON.readTree(json);
    }

    /** Returns whether this process starts members and does no work itself. Known after {@link #awaitStart}. */
    boolean isParent() {
        return hello().path("family").asBoolean();
    }

    /** Returns whether the process lives. */
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
                JsonNode descriptors = json(exchange(message("start"), starting()));
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
                channel.send(message("opened"));
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
                throw new IOException("the process " + (process.isAlive() ? "closed its channel" : end(process)));
            }
            watchChild(Integer.toUnsignedLong(ready.getInt()));
        } finally {
            watch.end();
        }
    }

    /** Returns a message with its length. */
    private static ByteBuffer message(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(Integer.BYTES + bytes.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(bytes.length)
                .put(bytes)
                .flip();
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
            channel.send(ByteBuffer.wrap(MARK));
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
                    late ? noAnswer(functions, function) : "the process " + end(e.exitCode()), function);
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
        ProcessHandle working = kind == Kind.OWN ? process.toHandle() : watch.worker();
        try {
            working.onExit().get(END_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            working.destroyForcibly();
        } catch (ExecutionException | TimeoutException e) {
            working.destroyForcibly();
        }
    }

    private void kill() {
        if (kind == Kind.OWN) {
            process.destroyForcibly();
        } else {
            watch.worker().destroyForcibly();
        }
    }
}
