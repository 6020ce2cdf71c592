package io.millrace.train.input;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.device.EngineScript;
import io.millrace.image.HueTables;
import java.util.List;

/**
 * What is done to batches on the engine's device, whichever that is, as operations on whole tensors: what the engine's Java
 * methods lack. They are methods of {@code device-ops.pt}, a TorchScript module made by
 * {@code src/main/python/export_device_ops.py}, which says of each what it computes.
 *
 * <p>No method waits for the device. Results belong to the manager that is given. Belongs to one thread, which closes it.
 */
final class DeviceOps implements AutoCloseable {
    private final EngineScript script;
    private final PtNDArray hues;

    /** Loads the module; the manager's device is the engine's. */
    DeviceOps(PtNDManager manager) {
        script = EngineScript.load(DeviceOps.class, "device-ops.pt", manager);
        hues = (PtNDArray) manager.create(HueTables.values(), new Shape(HueTables.TABLES, HueTables.LENGTH));
    }

    /**
     * Pixels [..., 3] times a matrix, plus an offset.
     *
     * @param columns of the matrix, [3, 3], on the device as the offset
     */
    PtNDArray convertColor(PtNDArray values, PtNDArray columns, PtNDArray offset, PtNDManager manager) {
        return script.tensor("convert_color", manager, values, columns, offset);
    }

    /** The extent that is mirrored or resized. */
    enum Axis {
        /** Rows of pixels. */
        DOWN(1),
        /** Columns of pixels. */
        ACROSS(2);

        private final long extent;

        Axis(long extent) {
            this.extent = extent;
        }
    }

    /**
     * Mirrors some of the images.
     *
     * @param chosen uint8 [rows], on the host; 0 is not chosen
     */
    PtNDArray flip(PtNDArray images, PtNDArray chosen, Axis axis, PtNDManager manager) {
        return script.tensor("flip", manager, images, chosen, axis.extent);
    }

    /** The pixels of these rows and columns, int64 on the device. */
    PtNDArray pick(PtNDArray images, PtNDArray rows, PtNDArray columns, PtNDManager manager) {
        return script.tensor("pick", manager, images, rows, columns);
    }

    /**
     * One pass of a resize.
     *
     * @param starts int64 [outputs], on the device
     * @param weights int32 [taps, outputs], likewise
     */
    PtNDArray filter(PtNDArray images, PtNDArray starts, PtNDArray weights, Axis axis, PtNDManager manager) {
        return script.tensor("filter", manager, images, starts, weights, axis.extent);
    }

    /**
     * Changes the colours of images, each in its own order. The other arrays are on the host.
     *
     * @param rows int64 [4, rows]: which rows have a change in that place of their order, those of the first change first
     * @param counts by place and change, how many
     * @param ratios float [4, rows], by change
     * @param rests likewise
     */
    PtNDArray jitter(
            PtNDArray images,
            PtNDArray rows,
            List<Long> counts,
            PtNDArray ratios,
            PtNDArray rests,
            PtNDManager manager) {
        return script.tensor(
                "jitter",
                manager,
                images,
                rows,
                counts.stream().mapToLong(c -> c).toArray(),
                ratios,
                rests,
                hues);
    }

    @Override
    public void close() {
        script.close();
    }
}
