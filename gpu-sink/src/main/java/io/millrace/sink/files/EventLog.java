package io.millrace.sink.files;

import io.millrace.dataset.tfrecord.RecordBytes;
import io.millrace.lifecycle.Handles;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * A file of TensorBoard's events. Each start or restart of the training begins a new file, as in TensorFlow. The file
 * names its first step at the beginning. TensorBoard then drops this step and all later steps of earlier files. So it
 * does not show steps that a failure undid, and it shows no step twice, although no file is truncated.
 *
 * <p>Events that were not flushed are lost when the process ends. Not thread-safe.
 */
public final class EventLog implements AutoCloseable {
    private final Path file;
    private final OutputStream out;
    private final LongSupplier wallMillis;

    private EventLog(Path file, OutputStream out, LongSupplier wallMillis) {
        this.file = file;
        this.out = out;
        this.wallMillis = wallMillis;
    }

    /**
     * Begins a new file in the folder.
     *
     * @param step the first step that is still to be trained
     * @param wallMillis the clock, in milliseconds since 1970
     */
    public static EventLog begin(Path folder, long step, LongSupplier wallMillis) throws UnwritableException {
        Path file = folder;
        Handles opened = new Handles();
        try {
            Path next = folder.resolve(EventFiles.next(EventFiles.names(folder), wallMillis.getAsLong()));
            file = next;
            return opened.closeOnFailure(() -> {
                OutputStream out = opened.add(
                        new BufferedOutputStream(Files.newOutputStream(next, StandardOpenOption.CREATE_NEW)));
                EventLog log = new EventLog(next, out, wallMillis);
                log.append(EventMessage.version(wallMillis.getAsLong()));
                log.append(EventMessage.start(wallMillis.getAsLong(), step));
                log.flush();
                return log;
            });
        } catch (UnwritableException e) {
            throw e;
        } catch (IOException e) {
            throw new UnwritableException(file, e);
        }
    }

    /** Adds the values of a step, by tag. Writes no event when there are no values. */
    public void add(long step, Map<String, Double> values) throws UnwritableException {
        if (!values.isEmpty()) {
            append(EventMessage.scalars(wallMillis.getAsLong(), step, values));
        }
    }

    private void append(byte[] event) throws UnwritableException {
        try {
            out.write(RecordBytes.of(event));
        } catch (IOException e) {
            throw new UnwritableException(file, e);
        }
    }

    /** Writes all events to the file. */
    public void flush() throws UnwritableException {
        try {
            out.flush();
        } catch (IOException e) {
            throw new UnwritableException(file, e);
        }
    }

    @Override
    public void close() throws UnwritableException {
        try {
            out.close();
        } catch (IOException e) {
            throw new UnwritableException(file, e);
        }
    }
}
