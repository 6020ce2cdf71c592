package io.millrace.sink.files;

import io.millrace.file.WholeFiles;
import io.millrace.lifecycle.Handles;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A text file that is only appended to. It has its final name from the beginning, and can be shortened to its length at
 * a checkpoint.
 *
 * <p>To continue from a checkpoint, the text written before it is copied into a new file, which replaces the old one.
 * So an old trainer that still runs writes into an unlinked file, and never into the new one. Flushed text has been
 * passed to the operating system: it survives the end of the process, but not a loss of power. Not thread-safe.
 */
public final class AppendLog implements AutoCloseable {
    private static final int COPY_BYTES = 1 << 16;

    private final Path file;
    private final OutputStream out;
    private long bytes;

    private AppendLog(Path file, OutputStream out) {
        this.file = file;
        this.out = out;
    }

    /** Creates a file that begins with {@code head}, and replaces an earlier file of that name. */
    public static AppendLog begin(Path file, String head) throws UnwritableException {
        return create(file, log -> log.append(head));
    }

    /**
     * Continues a file from a checkpoint.
     *
     * @param file the file to write from now on
     * @param from the file with the text written before the checkpoint, and possibly later text; it may be the same
     *     file
     * @param bytes the length of that file at the checkpoint
     * @throws StateRefusedException when {@code from} is missing or shorter
     */
    public static AppendLog resume(Path file, Path from, long bytes) throws UnwritableException, StateRefusedException {
        long found;
        try {
            found = Files.size(from);
        } catch (NoSuchFileException e) {
            throw new StateRefusedException(
                    "the checkpoint continues the file " + from + ", which is missing: keep the folder of a run on"
                            + " storage that all machines that may train can read and write",
                    e);
        } catch (IOException e) {
            throw new StateRefusedException("cannot read " + from + ": " + e.getMessage(), e);
        }
        if (found < bytes) {
            throw new StateRefusedException("the checkpoint continues the file " + from + " at byte " + bytes
                    + ", but the file has only " + found + " bytes: it was truncated or replaced since");
        }
        return create(file, log -> log.copy(from, bytes));
    }

    private interface Beginning {
        void write(AppendLog log) throws IOException;
    }

    private static AppendLog create(Path file, Beginning beginning) throws UnwritableException {
        Handles opened = new Handles();
        try {
            return opened.closeOnFailure(() -> {
                opened.add(() -> Files.deleteIfExists(WholeFiles.partial(file)));
                OutputStream out =
                        opened.add(new BufferedOutputStream(Files.newOutputStream(WholeFiles.partial(file))));
                AppendLog log = new AppendLog(file, out);
                beginning.write(log);
                out.flush();
                WholeFiles.publish(file);
                return log;
            });
        } catch (UnwritableException e) {
            throw e;
        } catch (IOException e) {
            throw new UnwritableException(file, e);
        }
    }

    private void copy(Path from, long length) throws IOException {
        byte[] buffer = new byte[COPY_BYTES];
        try (InputStream in = Files.newInputStream(from)) {
            while (bytes < length) {
                int read = in.read(buffer, 0, (int) Math.min(buffer.length, length - bytes));
                if (read < 0) {
                    throw new IOException(from + " became shorter while it was read");
                }
                out.write(buffer, 0, read);
                bytes += read;
            }
        }
    }

    /** Appends text. It is in the file after the next {@link #flush} or {@link #close}, or earlier. */
    public void append(String text) throws UnwritableException {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        try {
            out.write(utf8);
        } catch (IOException e) {
            throw new UnwritableException(file, e);
        }
        bytes += utf8.length;
    }

    /** Writes all text to the file; returns the length of the file in bytes, for {@link #resume}. */
    public long flush() throws UnwritableException {
        try {
            out.flush();
        } catch (IOException e) {
            throw new UnwritableException(file, e);
        }
        return bytes;
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
