package io.millrace.metrics;

import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * The processes that this process has started to do the work of stages, such as those of Python functions. The cores that they use
 * are the job's own, not those of other programs. Any thread may use the class.
 */
public final class OwnProcesses {
    /** The processes that may still live, with the CPU time of each at the latest reading. Guarded by itself. */
    private static final Map<ProcessHandle, Long> LIVING = new HashMap<>();

    /** The CPU time of the processes that have ended. Guarded by {@link #LIVING}. */
    private static long endedNanos;

    private OwnProcesses() {}

    /** Adds a process, until it ends. */
    public static void add(ProcessHandle process) {
        synchronized (LIVING) {
            LIVING.putIfAbsent(process, 0L);
        }
    }

    /**
     * Returns the CPU time of all processes in nanoseconds, in steps of the system's clock of usually 10 ms. What a process used between
     * the latest reading and its end is missing.
     */
    static long cpuNanos() {
        synchronized (LIVING) {
            long sum = 0;
            Iterator<Map.Entry<ProcessHandle, Long>> each = LIVING.entrySet().iterator();
            while (each.hasNext()) {
                Map.Entry<ProcessHandle, Long> entry = each.next();
                ProcessHandle process = entry.getKey();
                long nanos = process.info()
                        .totalCpuDuration()
                        .map(Duration::toNanos)
                        .map(now -> Math.max(now, entry.getValue()))
                        .orElse(entry.getValue());
                entry.setValue(nanos);
                if (process.isAlive()) {
                    sum += nanos;
                } else {
                    endedNanos += nanos;
                    each.remove();
                }
            }
            return endedNanos + sum;
        }
    }
}
