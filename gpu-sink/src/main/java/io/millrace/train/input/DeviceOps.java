package io.millrace.train.input;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.device.EngineScript;
import io.millrace.image.HueTables;
import java.util.List;

/**
 * Operations on whole tensors that the engine's Java methods lack, on the engine's device. They are methods of {@code
 * device-ops.pt}, a TorchScript module made by {@code src/main/python/export_device_ops.py}, which documents the result of
 * each.
 *
 * <p>No method waits for the device. The manager that is passed owns the result. An object of this class belongs to one
 * thread, which closes it.
 */
final class DeviceOps implements AutoCloseable {
    private final EngineScript script;
    private final PtNDArray hues;

    /** Loads the module on the manager's device. */
    DeviceOps(PtNDManager manager) {
        script = EngineScript.load(DeviceOps.class, "device-ops.pt", manager);
        hues = (PtNDArray) manager.create(HueTables.values(), new Shape(HueTables.TABLES, HueTables.LENGTH));
    }

    /**
     * Multiplies pixels [..., 3] by a matrix and adds an offset.
     *
     * @param columns the columns of the matrix, [3, 3], on the device; the offset is on the device too
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
     * @param chosen uint8 [rows], on the host; a row with 0 stays unchanged
     */
    PtNDArray flip(PtNDArray images, PtNDArray chosen, Axis axis, PtNDManager manager) {
        return script.tensor("flip", manager, images, chosen, axis.extent);
    }

    /** Returns the pixels of some rows and columns. Their numbers are int64 tensors on the device. */
    PtNDArray pick(PtNDArray images, PtNDArray rows, PtNDArray columns, PtNDManager manager) {
        return script.tensor("pick", manager, images, rows, columns);
    }

    /**
     * Computes one pass of a resize.
     *
     * @param starts the number of the first input pixel of each output pixel, int64 [outputs], on the device
     * @param weights the weights of the input pixels of each output pixel, int32 [taps, outputs], on the device
     */
    PtNDArray filter(PtNDArray images, PtNDArray starts, PtNDArray weights, Axis axis, PtNDManager manager) {
        return script.tensor("filter", manager, images, starts, weights, axis.extent);
    }

    /**
     * Changes the colors of images. Each image has its own order of changes. All arrays except {@code images} are on
     * the host.
     *
     * @param rows int64 [4, rows]: for each place in the order, the numbers of the rows, sorted by the change that the
     *     row has at that place
     * @param counts the number of rows for each place and change
     * @param ratios the factor of each change for each row, float [4, rows]
     * @param rests 1 minus the factor of each change for each row, float [4, rows]
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
