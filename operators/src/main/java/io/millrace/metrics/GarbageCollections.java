package io.millrace.metrics;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The time in which garbage collections stopped all threads of this process. */
final class GarbageCollections {
    private static final List<GarbageCollectorMXBean> COLLECTORS = ManagementFactory.getGarbageCollectorMXBeans();

    private GarbageCollections() {}

    /** Returns the time since the process started, in nanoseconds. The JVM counts milliseconds. */
    static double stoppedNanos() {
        return TimeUnit.MILLISECONDS.toNanos(COLLECTORS.stream()
                .filter(collector -> stops(collector.getName()))
                .mapToLong(collector -> Math.max(0, collector.getCollectionTime()))
                .sum());
    }

    /**
     * Returns whether a collector stops the threads for the time that it reports. ZGC and Shenandoah report their cycles, in
     * which the threads go on, separately from their pauses.
     */
    static boolean stops(String collector) {
        return !collector.endsWith("Cycles");
    }
}
