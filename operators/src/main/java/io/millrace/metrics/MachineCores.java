package io.millrace.metrics;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.apache.flink.metrics.MetricGroup;

/**
 * The number of the machine's cores that are busy, and the number of cores that this process and {@link OwnProcesses} use. Other
 * programs use the difference. In a container with a limit, the machine is the container. The time of {@link GarbageCollections} is
 * registered with them.
 *
 * <p>A reading measures over the time since the previous measurement, if that is at least {@link #LEAST_NANOS}. Any thread
 * may read. An unknown value is NaN, for example before this time has passed for the first time.
 */
public final class MachineCores {
    /** The shortest time between two measurements, in nanoseconds. */
    static final long LEAST_NANOS = 1_000_000_000;

    /** The only instance of the process, because the system counts its load since the latest reading by anyone. */
    private static final MachineCores THIS = ofThisMachine();

    private final int cores;
    private final LongSupplier clock;
    private final DoubleSupplier machineLoad;
    private final LongSupplier processCpuNanos;

    /** Guarded by this, as are all fields below. */
    private long measuredAtNanos;

    private long measuredCpuNanos;
    private double busyCores = Double.NaN;
    private double processCores = Double.NaN;

    /**
     * Begins to measure.
     *
     * @param cores the number of cores, at least 1
     * @param clock a clock in nanoseconds
     * @param machineLoad the share of the cores that was busy since the previous reading, 0 to 1; negative when unknown
     * @param processCpuNanos the CPU time of the process and those that work for it since it began; negative when unknown
     */
    MachineCores(int cores, LongSupplier clock, DoubleSupplier machineLoad, LongSupplier processCpuNanos) {
        this.cores = cores;
        this.clock = clock;
        this.machineLoad = machineLoad;
        this.processCpuNanos = processCpuNanos;
        double unused = machineLoad.getAsDouble(); // the load counts from here on
        measuredCpuNanos = processCpuNanos.getAsLong();
        measuredAtNanos = clock.getAsLong();
    }

    private static MachineCores ofThisMachine() {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        // Flink reads the process's load too, which counts since the latest reading by anyone. Its CPU time does not.
        return new MachineCores(
                system.getAvailableProcessors(), System::nanoTime, system::getCpuLoad, () -> cpuNanos(system));
    }

    private static long cpuNanos(OperatingSystemMXBean system) {
        long own = system.getProcessCpuTime();
        return own < 0 ? own : own + OwnProcesses.cpuNanos();
    }

    /** Registers the figures of this process's machine, in any number of groups. */
    public static void register(MetricGroup operatorGroup) {
        FigureGroup figures = new FigureGroup(operatorGroup);
        MachineCores machine = THIS;
        figures.add(Figures.MACHINE_CORES, () -> machine.cores);
        figures.add(Figures.MACHINE_BUSY_CORES, machine::busyCores);
        figures.add(Figures.PROCESS_BUSY_CORES, machine::processCores);
        figures.add(Figures.COLLECTION_NANOS, GarbageCollections::stoppedNanos);
    }

    /** Returns the number of cores that were busy with any program. */
    synchronized double busyCores() {
        measure();
        return busyCores;
    }

    /** Returns the number of cores that this process and those that work for it used. */
    synchronized double processCores() {
        measure();
        return processCores;
    }

    private void measure() {
        long now = clock.getAsLong();
        long nanos = now - measuredAtNanos;
        if (nanos < LEAST_NANOS) {
            return;
        }
        double load = machineLoad.getAsDouble();
        long cpuNanos = processCpuNanos.getAsLong();
        busyCores = load < 0 ? Double.NaN : load * cores;
        processCores =
                cpuNanos < 0 || measuredCpuNanos < 0 ? Double.NaN : (double) (cpuNanos - measuredCpuNanos) / nanos;
        measuredAtNanos = now;
        measuredCpuNanos = cpuNanos;
    }
}
