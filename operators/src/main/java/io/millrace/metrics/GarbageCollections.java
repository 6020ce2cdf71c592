package io.millrace.metrics;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time in which garbage collections stopped all threads of this process, as far as the collector itself needed it: at most its
 * CPU time. Where other programs keep the cores busy, a stop takes as long as the collector waits for a core, and a larger heap or
 * fewer objects would not save that time.
 */
final class GarbageCollections {
    private static final Logger LOG = LoggerFactory.getLogger(GarbageCollections.class);

    private static final List<GarbageCollectorMXBean> COLLECTORS = ManagementFactory.getGarbageCollectorMXBeans();

    private static final GarbageCollections OF_THIS_PROCESS = new GarbageCollections(Path.of("/proc/self/task"));

    /** The folder in which Linux has a folder for each thread of the process. */
    private final Path threads;

    /** Whether a thread collects garbage while all others stand still, by the name of its folder; guarded by this. */
    private final Map<String, Boolean> collects = new HashMap<>();

    private long wallNanos;
    private long cpuNanos;
    private double nanos;

    GarbageCollections(Path threads) {
        this.threads = threads;
    }

    /** Returns the time since the process started, in nanoseconds. The JVM counts milliseconds. Any thread may call this. */
    static double stoppedNanos() {
        return OF_THIS_PROCESS.plus(TimeUnit.MILLISECONDS.toNanos(COLLECTORS.stream()
                .filter(collector -> stops(collector.getName()))
                .mapToLong(collector -> Math.max(0, collector.getCollectionTime()))
                .sum()));
    }

    /**
     * Adds the time since the last call.
     *
     * @param wall the time in which the threads were stopped since the process started, in nanoseconds
     * @return the whole time, in nanoseconds
     */
    synchronized double plus(long wall) {
        long stopped = wall - wallNanos;
        wallNanos = wall;
        OptionalLong cpu = cpu();
        long computed = cpu.isPresent() ? Math.max(0, cpu.getAsLong() - cpuNanos) : stopped;
        cpuNanos = cpu.orElse(0);
        nanos += Math.min(stopped, computed);
        return nanos;
    }

    /** Returns the CPU time of the threads that collect garbage, in nanoseconds; empty where the system does not tell it. */
    private OptionalLong cpu() {
        long sum = 0;
        boolean known = false;
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(threads)) {
            for (Path thread : folders) {
                if (collects(thread)) {
                    String[] numbers = Files.readString(thread.resolve("schedstat"))
                            .strip()
                            .split(" ", -1);
                    sum += Long.parseLong(numbers[0]);
                    known = true;
                }
            }
        } catch (IOException | NumberFormatException e) {
            LOG.debug("the CPU time of garbage collections is not known", e);
            return OptionalLong.empty();
        }
        return known && sum > 0 ? OptionalLong.of(sum) : OptionalLong.empty();
    }

    private boolean collects(Path thread) throws IOException {
        String id = thread.getFileName().toString();
        Boolean known = collects.get(id);
        if (known == null) {
            Path name = thread.resolve("comm");
            // The threads of the collectors are few, and stay. Another thread may end at any time, also now.
            known = Files.isReadable(name) && isCollector(firstLine(name));
            collects.put(id, known);
        }
        return known;
    }

    private static String firstLine(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            LOG.debug("a thread has ended", e);
            return "";
        }
    }

    /** Returns whether a thread of the JVM works while all others are stopped. The serial collector is the VM thread. */
    static boolean isCollector(String thread) {
        return thread.startsWith("GC Thread#") || thread.equals("VM Thread");
    }

    /**
     * Returns whether a collector stops the threads for the time that it reports. ZGC and Shenandoah report their cycles, in
     * which the threads go on, separately from their pauses.
     */
    static boolean stops(String collector) {
        return !collector.endsWith("Cycles");
    }
}
