package io.millrace.file;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.DSYNC;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Functions that write a file so that a reader sees the whole file or none. The content is written under a hidden name
 * and then moved into place. Safe for several threads, but only one thread at a time may write the same file, except
 * with {@link #writeAs}.
 */
public final class WholeFiles {
    private static final String SUFFIX = ".part";

    private WholeFiles() {}

    /** Returns the name under which {@code file} is written until it is whole. */
    public static Path partial(Path file) {
        return file.resolveSibling("." + file.getFileName() + SUFFIX);
    }

    /** Returns the file for which {@link #partial} created the given name. All other names are returned unchanged. */
    public static Path whole(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.startsWith(".") && name.endsWith(SUFFIX)
                ? file.resolveSibling(name.substring(1, name.length() - SUFFIX.length()))
                : file;
    }

    /** Moves the finished partial file of {@code file} into place and replaces an older file. */
    public static void publish(Path file) throws IOException {
        Files.move(partial(file), file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Writes the bytes as the whole content of {@code file}. When that fails, an older file stays unchanged. */
    public static void write(Path file, byte[] content) throws IOException {
        writeWith(file, content, CREATE, WRITE, TRUNCATE_EXISTING);
    }

    /**
     * Writes as {@link #write} does, and makes sure that the bytes are on the disk before the file is in place. This
     * takes some milliseconds more.
     */
    public static void writeDurably(Path file, byte[] content) throws IOException {
        writeWith(file, content, CREATE, WRITE, TRUNCATE_EXISTING, DSYNC);
    }

    /**
     * Writes as {@link #writeDurably} does, but writers with other names may write the same file at the same time. The
     * last writer wins.
     */
    public static void writeAs(String writer, Path file, byte[] content) throws IOException {
        Path partial = partial(file.resolveSibling(file.getFileName() + "." + writer));
        writeWith(partial, file, content, CREATE, WRITE, TRUNCATE_EXISTING, DSYNC);
    }

    private static void writeWith(Path file, byte[] content, OpenOption... options) throws IOException {
        writeWith(partial(file), file, content, options);
    }

    private static void writeWith(Path partial, Path file, byte[] content, OpenOption... options) throws IOException {
        try {
            Files.write(partial, content, options);
            Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            try {
                Files.deleteIfExists(partial);
            } catch (IOException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
    }
}
