package io.millrace.train.input;

import ai.djl.ndarray.types.DataType;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.device.AlignedMemory;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.transform.FlipDraw;
import io.millrace.transform.RandomFlip;
import java.util.List;

/** A change that mirrors a random choice of rows. */
final class FlipPictures implements PictureChange {
    private final List<Integer> shape;
    private final FlipDraw draw;
    private final DeviceOps.Axis axis;
    private final SampleRandom random;
    private final DeviceOps ops;
    private final AlignedMemory chosen;

    private FlipPictures(OptionValues options, DeviceOps.Axis axis, PictureTransformFactory.Place place) {
        this.shape = place.shape();
        this.draw = FlipDraw.of(options);
        this.axis = axis;
        this.random = place.random();
        this.ops = place.ops();
        this.chosen = AlignedMemory.allocate(place.capacity(), "the choice of mirrored rows");
    }

    /** The factory of {@code RandomHorizontalFlip}. */
    public static final class Horizontal extends PictureTransformFactory {
        /** Creates the factory, for the service loader. */
        public Horizontal() {
            super(new RandomFlip.Horizontal(), Draws.BY_SAMPLE, Masks.CHANGED);
        }

        @Override
        protected PictureChange make(OptionValues options, Place place) {
            return new FlipPictures(options, DeviceOps.Axis.ACROSS, place);
        }
    }

    /** The factory of {@code RandomVerticalFlip}. */
    public static final class Vertical extends PictureTransformFactory {
        /** Creates the factory, for the service loader. */
        public Vertical() {
            super(new RandomFlip.Vertical(), Draws.BY_SAMPLE, Masks.CHANGED);
        }

        @Override
        protected PictureChange make(OptionValues options, Place place) {
            return new FlipPictures(options, DeviceOps.Axis.DOWN, place);
        }
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
