package io.millrace.device.bench;

import io.millrace.device.AlignedMemory;
import io.millrace.device.Device;
import io.millrace.device.DeviceMemory;
import io.millrace.device.DeviceUse;
import io.millrace.lifecycle.Handles;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The measurement of a device according to a {@link BenchPlan}. */
public final class DeviceBench {
    private static final int PEAK_BYTES = 64 << 20;
    private static final int PEAK_COPIES = 4;
    private static final int PEAK_TRIES = 7;

    /**
     * The smallest number of batches in one measurement. It is larger than the number of batches that the device has
     * memory for.
     */
    private static final int LEAST_BATCHES = 8;

    private static final int MOST_BATCHES = 500;

    private final Device device;
    private final Supplier<Device> opening;
    private final BenchPlan plan;

    private DeviceBench(Device device, Supplier<Device> opening, BenchPlan plan) {
        this.device = device;
        this.opening = opening;
        this.plan = plan;
    }

    /**
     * Measures a device. The measurement takes at least {@code size x 2 x repetitions x least} of the plan.
     *
     * @param opening the supplier that opens the device; it is called several times
     * @param progress receives each row as soon as it is measured
     * @throws io.millrace.device.DeviceException when the device cannot be opened, has too little memory, or fails
     */
    public static BenchResult run(Supplier<Device> opening, BenchPlan plan, Consumer<BenchRow> progress) {
        try (Device device = opening.get()) {
            return new DeviceBench(device, opening, plan).run(progress);
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    private BenchResult run(Consumer<BenchRow> progress) {
        WarmUp.run(device);
        double peak = peak();
        Duration step =
                plan.step().orElseGet(() -> Duration.ofNanos(Math.max(1, Math.round(2 * plan.batchBytes() / peak))));
        List<BenchRow> rows = new ArrayList<>();
        try (CalibratedWork work = new CalibratedWork(device, step, plan.mostDeviceBytes())) {
            for (SourceMemory memory : SourceMemory.values()) {
                for (int bytes : plan.microBatchBytes()) {
                    try (SourceBlocks source = new SourceBlocks(device, opening, memory, bytes)) {
                        for (CopyMode mode : CopyMode.values()) {
                            for (int inFlight : plan.inFlight()) {
                                BenchRow row = row(source, memory, mode, inFlight, bytes, work, peak);
                                progress.accept(row);
                                rows.add(row);
                            }
                        }
                    }
                }
            }
            return new BenchResult(device.describe(), peak, work.nanos() / 1e6, plan.mostBatchBytes(), rows);
        }
    }

    /** Returns the speed of the fastest large copy from page-locked memory, in bytes per nanosecond. */
    private double peak() {
        try (AlignedMemory source = device.pageLocked(PEAK_BYTES, "a large copy");
                DeviceMemory target = device.memory(PEAK_BYTES, "a large copy");
                Handles copies = new Handles()) {
            copies.add(() -> device.copies().synchronize());
            double best = 0;
            for (int i = 0; i < PEAK_TRIES; i++) {
                long began = System.nanoTime();
                for (int copy = 0; copy < PEAK_COPIES; copy++) {
                    device.copies().copyIn(source.address(), target, 0, PEAK_BYTES);
                }
                device.copies().synchronize();
                best = Math.max(best, (double) PEAK_COPIES * PEAK_BYTES / (System.nanoTime() - began));
            }
            return best;
        }
    }

    private BenchRow row(
            SourceBlocks source,
            SourceMemory memory,
            CopyMode mode,
            int inFlight,
            int bytes,
            CalibratedWork work,
            double peak) {
        int microBatches = plan.microBatches(bytes);
        try (BenchRing ring = new BenchRing(device, source, inFlight, bytes, microBatches)) {
            int warmUp = 2 * inFlight;
            double each = (double) ring.copy(warmUp, mode) / warmUp;
            int copied = batches(warmUp, each);
            int stepped = batches(warmUp, Math.max(each, work.nanos()));
            double[] alone = Medians.sorted(plan.repetitions(), () -> ring.copy(copied, mode));
            List<DeviceUse.Sums> beside = new ArrayList<>();
            for (int i = 0; i < plan.repetitions(); i++) {
                beside.add(ring.copyBeside(stepped, mode, work::enqueue));
            }
            double all = (double) copied * microBatches * bytes;
            double rate = all / Medians.of(alone);
            return new BenchRow(
                    memory,
                    mode,
                    inFlight,
                    bytes,
                    rate,
                    (all / alone[0] - all / alone[alone.length - 1]) / rate,
                    rate / peak,
                    Medians.of(beside, DeviceBench::rate),
                    Medians.of(beside, DeviceBench::overlap));
        }
    }

    /** Returns the number of batches, of {@code each} nanoseconds each, that lasts for the plan's shortest duration. */
    private int batches(int warmUp, double each) {
        return (int) Math.max(
                Math.max(LEAST_BATCHES, warmUp),
                Math.min(MOST_BATCHES, plan.least().toNanos() / each));
    }

    /** Returns the speed in bytes per nanosecond. It is 0 for copies that were too short to measure. */
    private static double rate(DeviceUse.Sums copies) {
        return copies.copyNanos() == 0 ? 0 : (double) copies.copiedBytes() / copies.copyNanos();
    }

    /** Returns the share of overlap. It is 0 for copies that were too short to measure. */
    private static double overlap(DeviceUse.Sums copies) {
        Double share = copies.overlap();
        return share == null ? 0 : share;
    }
}
