package io.millrace.metrics;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.apache.flink.metrics.MetricGroup;

/**
 * How many of the machine's cores are busy, and how many of these with this process: the rest is other programs' doing. In
 * a container with a limit, the machine is the container.
 *
 * <p>Measured when asked, over the time since it was last measured, which is at least {@link #LEAST_NANOS}. Any thread may
 * ask. What is not known, as before the first such time is over, is not a number.
 */
public final class MachineCores {
    /** Between two measurements. */
    static final long LEAST_NANOS = 1_000_000_000;

    /** One for the process: the system's load counts from whoever asked last. */
    private static final MachineCores THIS = ofThisMachine();

    private final int cores;
    private final LongSupplier clock;
    private final DoubleSupplier machineLoad;
    private final LongSupplier processCpuNanos;

    /** Guarded by this, as all below. */
    private long measuredAtNanos;

    private long measuredCpuNanos;
    private double busyCores = Double.NaN;
    private double processCores = Double.NaN;

    /**
     * Begins to measure.
     *
     * @param machineLoad the share of the cores that was busy since it was last asked, 0 to 1; negative when unknown
     * @param processCpuNanos since the process began; negative when unknown
     */
    MachineCores(int cores, LongSupplier clock, DoubleSupplier machineLoad, LongSupplier processCpuNanos) {
        this.cores = cores;
        this.clock = clock;
        this.machineLoad = machineLoad;
        this.processCpuNanos = processCpuNanos;
        double unused = machineLoad.getAsDouble(); // it counts from here on
        measuredCpuNanos = processCpuNanos.getAsLong();
        measuredAtNanos = clock.getAsLong();
    }

    private static MachineCores ofThisMachine() {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        // Flink asks for the process's load, too, which counts from whoever asked last; its CPU time does not.
        return new MachineCores(
                system.getAvailableProcessors(), System::nanoTime, system::getCpuLoad, system::getProcessCpuTime);
    }

    /** Registers the figures of this process's machine; in as many groups as wanted. */
    public static void register(MetricGroup operatorGroup) {
        FigureGroup figures = new FigureGroup(operatorGroup);
        MachineCores machine = THIS;
        figures.add(Figures.MACHINE_CORES, () -> machine.cores);
        figures.add(Figures.MACHINE_BUSY_CORES, machine::busyCores);
        figures.add(Figures.PROCESS_BUSY_CORES, machine::processCores);
    }

    /** The cores that were busy, whoever used them. */
    synchronized double busyCores() {
        measure();
        return busyCores;
    }

    /** The cores that this process used. */
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
