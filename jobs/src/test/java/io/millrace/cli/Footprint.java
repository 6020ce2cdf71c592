package io.millrace.cli;

import io.millrace.batch.MicroBatchMemory;
import io.millrace.report.FinalMetrics;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The resources that this process uses at one moment, without garbage.
 *
 * @param directMib the memory of NIO buffers and micro-batches, in MiB
 * @param residentMib the resident memory that the system reports, in MiB; 0 if unknown
 * @param files the number of open files; 0 if unknown
 * @param metrics the number of metrics that Flink holds
 */
public record Footprint(long heapMib, long directMib, long residentMib, int threads, long files, long metrics) {
    public static final String HEADER = "heap MiB  direct MiB  resident MiB  threads  files  metrics";

    private static final int MIB_SHIFT = 20;

    /** Collects garbage and reads the resources of this process. */
    public static Footprint now() throws IOException {
        System.gc();
        long direct = MicroBatchMemory.allocatedBytes();
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            direct += pool.getMemoryUsed();
        }
        return new Footprint(
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> MIB_SHIFT,
                direct >> MIB_SHIFT,
                residentKib() >> 10,
                ManagementFactory.getThreadMXBean().getThreadCount(),
                openFiles(),
                FinalMetrics.registered());
    }

    private static long residentKib() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.isReadable(status)) {
            return 0;
        }
        for (String line : Files.readAllLines(status)) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        return 0;
    }

    private static long openFiles() throws IOException {
        Path folder = Path.of("/proc/self/fd");
        if (!Files.isDirectory(folder)) {
            return 0;
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.count();
        }
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%8d  %10d  %12d  %7d  %5d  %7d",
                heapMib,
                directMib,
                residentMib,
                threads,
                files,
                metrics);
    }
}
