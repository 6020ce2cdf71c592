package io.millrace.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * How long one thread was ready to run while other threads had the cores: the "run delay" that Linux keeps for each
 * thread. High beside a stage's own time means that cores are short, not that the stage is slow.
 *
 * <p>Made on the thread in question; any thread may ask. Elsewhere than on Linux, and where its kernel keeps no such
 * figures, it is unknown. A look costs some microseconds: not for each sample.
 */
public final class CoreWait {
    private static final Path PROC = Path.of("/proc");

    /** Null where there is no such file. */
    private final @Nullable Path figures;

    private final OptionalLong before;

    /** Volatile: any thread may ask. What a thread waited for stays known when it has ended. */
    private volatile OptionalLong latest;

    private CoreWait(@Nullable Path figures) {
        this.figures = figures;
        this.before = figures == null ? OptionalLong.empty() : read(figures);
        this.latest = before;
    }

    /** The calling thread's, from now on. */
    public static CoreWait ofThisThread() {
        return ofThisThread(PROC);
    }

    /** The same where Linux's process file system is mounted elsewhere. */
    static CoreWait ofThisThread(Path proc) {
        try {
            // A link to <process>/task/<thread>, which other threads can follow, too.
            Path thread = Files.readSymbolicLink(proc.resolve("thread-self"));
            return new CoreWait(proc.resolve(thread).resolve("schedstat"));
        } catch (IOException | UnsupportedOperationException e) {
            return new CoreWait(null);
        }
    }

    /** Nanoseconds since this was made; empty when they are not known. */
    public OptionalLong nanos() {
        if (figures == null || before.isEmpty()) {
            return OptionalLong.empty();
        }
        OptionalLong now = read(figures);
        if (now.isPresent()) {
            latest = now;
        }
        return OptionalLong.of(latest.getAsLong() - before.getAsLong());
    }

    private static OptionalLong read(Path figures) {
        try {
            return parse(Files.readString(figures));
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /**
     * Reads a line of schedstat: nanoseconds on a core, nanoseconds ready and waiting, and how often the thread got a core.
     * Of a thread that runs, a kernel that does not count says never.
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
