package io.millrace.generate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Writes files so that a reader sees a whole file or none: under a hidden name first, then moved into place. */
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

    /** Writes the bytes as the whole content of {@code file}. */
    public static void write(Path file, byte[] content) throws IOException {
        Files.write(partial(file), content);
        publish(file);
    }
}
