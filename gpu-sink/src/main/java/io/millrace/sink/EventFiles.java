package io.millrace.sink;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The names of a run's event files. TensorBoard looks for "tfevents" in them, reads them in the order of their names, and
 * does not return to one when there is a next. So each is named to come after all that were before.
 */
final class EventFiles {
    private static final Pattern NAMED = Pattern.compile("events\\.out\\.tfevents\\.(\\d{10})\\.millrace\\.(\\d{4,})");
    private static final long MILLIS = 1000;

    private EventFiles() {}

    /** Those of a folder, in their order. */
    static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> NAMED.matcher(name).matches())
                    .sorted()
                    .toList();
        }
    }

    /** A name that comes after these, with the time in it unless an earlier one was made by a clock that was ahead. */
    static String next(List<String> names, long nowMillis) {
        long seconds = nowMillis / MILLIS;
        for (String name : names) {
            Matcher named = NAMED.matcher(name);
            if (named.matches()) {
                seconds = Math.max(seconds, Long.parseLong(named.group(1)));
            }
        }
        return String.format(Locale.ROOT, "events.out.tfevents.%010d.millrace.%04d", seconds, names.size());
    }

    /** Copies those of the run that this one goes on from, so that TensorBoard shows the whole curve. */
    static void copy(Path from, Path folder) throws IOException {
        for (String name : names(from)) {
            if (!Files.exists(folder.resolve(name))) {
                Files.copy(from.resolve(name), folder.resolve(name));
            }
        }
    }
}
