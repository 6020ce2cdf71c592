package io.millrace.sink.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The names of a run's event files. TensorBoard looks for "tfevents" in file names, reads the files in the order of
 * their names, and does not return to a file when there is a later one. Therefore each new name sorts after all earlier
 * names.
 */
public final class EventFiles {
    private static final Pattern NAMED = Pattern.compile("events\\.out\\.tfevents\\.(\\d{10})\\.millrace\\.(\\d{4,})");
    private static final long MILLIS = 1000;

    private EventFiles() {}

    /** Returns the names of a folder's event files, in order. */
    public static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> NAMED.matcher(name).matches())
                    .sorted()
                    .toList();
        }
    }

    /**
     * Returns a name that sorts after {@code names}. It contains the current time, or the latest time in {@code names}
     * when that is later.
     */
    public static String next(List<String> names, long nowMillis) {
        long seconds = nowMillis / MILLIS;
        for (String name : names) {
            Matcher named = NAMED.matcher(name);
            if (named.matches()) {
                seconds = Math.max(seconds, Long.parseLong(named.group(1)));
            }
        }
        return String.format(Locale.ROOT, "events.out.tfevents.%010d.millrace.%04d", seconds, names.size());
    }

    /** Copies the event files of the run that this run continues, so that TensorBoard shows the whole curve. */
    public static void copy(Path from, Path folder) throws IOException {
        for (String name : names(from)) {
            if (!Files.exists(folder.resolve(name))) {
                Files.copy(from.resolve(name), folder.resolve(name));
            }
        }
    }
}
