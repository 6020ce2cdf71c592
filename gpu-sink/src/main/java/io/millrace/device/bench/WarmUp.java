package io.millrace.device.bench;

import io.millrace.device.AlignedMemory;
import io.millrace.device.CudaDevice;
import io.millrace.device.Device;
import io.millrace.device.DeviceMemory;
import io.millrace.lifecycle.Handles;
import java.time.Duration;

/**
 * The warm-up of a GPU. It keeps both streams busy until the GPU's clocks have risen, because an idle GPU lowers its
 * clocks.
 */
final class WarmUp {
    private static final Duration LENGTH = Duration.ofMillis(500);
    private static final int BYTES = 32 << 20;

    /**
     * The number of copies and pieces that are enqueued at a time. On a large GPU they keep both streams busy for about
     * a millisecond.
     */
    private static final int COPIES = 2;

    private static final int PIECES = 32;

    private WarmUp() {}

    /** Warms up a GPU; the host needs no warm-up. */
    static void run(Device device) {
        if (device instanceof CudaDevice) {
            keepBusy(device);
        }
    }

    private static void keepBusy(Device device) {
        try (AlignedMemory source = device.pageLocked(BYTES, "copies to warm up");
                DeviceMemory target = device.memory(BYTES, "copies to warm up");
                WorkPieces work = WorkPieces.allocate(device, BYTES);
                Handles copies = new Handles()) {
            copies.add(() -> device.copies().synchronize());
            long began = System.nanoTime();
            do {
                for (int i = 0; i < COPIES; i++) {
                    device.copies().copyIn(source.address(), target, 0, BYTES);
                }
                work.enqueue(PIECES);
                device.engine().synchronize();
                device.copies().synchronize();
            } while (System.nanoTime() - began < LENGTH.toNanos());
        }
    }
}
