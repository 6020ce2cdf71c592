package io.millrace.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The time for which one thread was ready to run while other threads had the cores. Linux calls it the "run delay" of the
 * thread. A high value beside a stage's own time means that there are too few cores, not that the stage is slow.
 *
 * <p>Any thread may read the object. The wait is unknown on systems other than Linux, and
 * where the kernel does not count it. A reading takes some microseconds, which is too much for each sample.
 */
public final class CoreWait {
    private static final Path PROC = Path.of("/proc");

    /** The file schedstat of the thread; null where there is none. */
    private final @Nullable Path schedstat;

    private final OptionalLong before;

    /** Volatile, because any thread may read it. It stays known after the thread has ended. */
    private volatile OptionalLong latest;

    private CoreWait(@Nullable Path schedstat) {
        this.schedstat = schedstat;
        this.before = schedstat == null ? OptionalLong.empty() : read(schedstat);
        this.latest = before;
    }

    /** Begins to measure the calling thread. */
    public static CoreWait ofThisThread() {
        return ofThisThread(PROC);
    }

    /** Begins to measure the calling thread, with Linux's process file system mounted at {@code proc}. */
    static CoreWait ofThisThread(Path proc) {
        try {
            // The link leads to <process>/task/<thread>, which other threads can read, too.
            Path thread = Files.readSymbolicLink(proc.resolve("thread-self"));
            return new CoreWait(proc.resolve(thread).resolve("schedstat"));
        } catch (IOException | UnsupportedOperationException e) {
            return new CoreWait(null);
        }
    }

    /** Begins to measure the first thread of a process. */
    public static CoreWait ofProcess(long pid) {
        return new CoreWait(PROC.resolve(Long.toString(pid)).resolve("schedstat"));
    }

    /** Returns the wait in nanoseconds since this object was created; empty when it is not known. */
    public OptionalLong nanos() {
        if (schedstat == null || before.isEmpty()) {
            return OptionalLong.empty();
        }
        OptionalLong now = read(schedstat);
        if (now.isPresent()) {
            latest = now;
        }
        return OptionalLong.of(latest.getAsLong() - before.getAsLong());
    }

    private static OptionalLong read(Path schedstat) {
        try {
            return parse(Files.readString(schedstat));
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /**
     * Parses a line of schedstat: nanoseconds on a core, nanoseconds ready and waiting, and the number of times that the thread
     * got a core. A count of 0 for a running thread means that the kernel does not count.
     */
    static OptionalLong parse(String line) {
        String[] numbers = line.strip().split(" ", -1);
        try {
            return numbers.length < 3 || Long.parseLong(numbers[2]) == 0
                    ? OptionalLong.empty()
                    : OptionalLong.of(Long.parseLong(numbers[1]));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }
}
