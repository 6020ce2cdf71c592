package io.millrace.train.input;

import ai.djl.ndarray.types.DataType;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.device.AlignedMemory;
import io.millrace.order.SampleRandom;
import io.millrace.transform.FlipDraw;
import java.util.List;

/** A change that mirrors a random choice of rows. */
final class FlipPictures implements PictureChange {
    private final List<Integer> shape;
    private final FlipDraw draw;
    private final DeviceOps.Axis axis;
    private final SampleRandom random;
    private final DeviceOps ops;
    private final AlignedMemory chosen;

    /** Prepares for batches of up to {@code capacity} rows. */
    FlipPictures(
            List<Integer> shape, FlipDraw draw, DeviceOps.Axis axis, SampleRandom random, int capacity, DeviceOps ops) {
        this.shape = shape;
        this.draw = draw;
        this.axis = axis;
        this.random = random;
        this.ops = ops;
        this.chosen = AlignedMemory.allocate(capacity, "the choice of mirrored rows");
    }

    @Override
    public List<Integer> shape() {
        return shape;
    }

    @Override
    public PtNDArray apply(PtNDArray pictures, BatchRows rows, PtNDManager manager) {
        for (int row = 0; row < rows.count(); row++) {
            boolean mirrored = draw.draw(random.reset(rows.epoch(), rows.index(row)));
            chosen.buffer().put(row, (byte) (mirrored ? 1 : 0));
        }
        try (PtNDArray flags = HostArrays.view(chosen, DataType.UINT8, manager, rows.count())) {
            return ops.flip(pictures, flags, axis, manager);
        }
    }

    @Override
    public void close() {
        chosen.close();
    }
}
