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
 * Writes files so that a reader sees a whole file or none: under a hidden name first, then moved into place. Any thread;
 * one at a time for each file, but for {@link #writeAs}.
 */
public final class WholeFiles {
    private static final String SUFFIX = ".part";

    private WholeFiles() {}

    /** The name under which {@code file} is written until it is whole. */
    public static Path partial(Path file) {
        return file.resolveSibling("." + file.getFileName() + SUFFIX);
    }

    /** The file that a name made by {@link #partial} is for; any other name is returned as it is. */
    public static Path whole(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.startsWith(".") && name.endsWith(SUFFIX)
                ? file.resolveSibling(name.substring(1, name.length() - SUFFIX.length()))
                : file;
    }

    /** Moves the finished partial file of {@code file} into place, over an older one. */
    public static void publish(Path file) throws IOException {
        Files.move(partial(file), file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Writes the bytes as the whole content of {@code file}; when that fails, an older one is as it was. */
    public static void write(Path file, byte[] content) throws IOException {
        writeWith(file, content, CREATE, WRITE, TRUNCATE_EXISTING);
    }

    /** As {@link #write}, and the bytes are on the disk before the file is in place: some milliseconds more. */
    public static void writeDurably(Path file, byte[] content) throws IOException {
        writeWith(file, content, CREATE, WRITE, TRUNCATE_EXISTING, DSYNC);
    }

    /** As {@link #writeDurably}, where others of other names may write the same file at the same time: one of them is last. */
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
