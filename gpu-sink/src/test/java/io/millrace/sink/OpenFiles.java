package io.millrace.sink;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The files that this process has open, as Linux lists them in {@code /proc/self/fd}. */
public final class OpenFiles {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private OpenFiles() {}

    /** Returns the open files below a folder, deleted ones included. */
    public static List<String> below(Path folder) throws IOException {
        String prefix = folder.toRealPath() + "/";
        List<String> open = new ArrayList<>();
        try (Stream<Path> descriptors = Files.list(DESCRIPTORS)) {
            for (Path descriptor : descriptors.toList()) {
                try {
                    String target = Files.readSymbolicLink(descriptor).toString();
                    if (target.startsWith(prefix)) {
                        open.add(target);
                    }
                } catch (NoSuchFileException e) {
                    // The descriptor was closed after it was listed. This always happens to the descriptor of the
                    // listing itself.
                }
            }
        }
        return open;
    }
}
