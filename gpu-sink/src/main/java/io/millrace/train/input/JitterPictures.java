package io.millrace.train.input;

import ai.djl.ndarray.types.DataType;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.device.AlignedMemory;
import io.millrace.lifecycle.Handles;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.transform.ColorJitter;
import io.millrace.transform.JitterDraw;
import io.millrace.transform.JitterDraw.Property;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A change of the colors of each row. The factors and the order of the changes are drawn for each row. */
final class JitterPictures implements PictureChange {
    private static final int CHANGES = Property.COUNT;

    private final List<Integer> shape;
    private final JitterDraw draw;
    private final SampleRandom random;
    private final DeviceOps ops;
    private final Handles memory = new Handles();
    private final AlignedMemory rowsByPlace;
    private final AlignedMemory ratios;
    private final AlignedMemory rests;

    /** The change at each place of each row's order. */
    private final Property[][] orders;

    private JitterPictures(OptionValues options, PictureTransformFactory.Place place) {
        this.shape = place.shape();
        this.draw = JitterDraw.of(options);
        this.random = place.random();
        this.ops = place.ops();
        int capacity = place.capacity();
        this.orders = new Property[capacity][CHANGES];
        long numbers = (long) CHANGES * capacity;
        this.rowsByPlace = allocate(numbers * Long.BYTES);
        this.ratios = allocate(numbers * Float.BYTES);
        this.rests = allocate(numbers * Float.BYTES);
    }

    /** The factory of {@code ColorJitter}. */
    public static final class Factory extends PictureTransformFactory {
        /** Creates the factory, for the service loader. */
        public Factory() {
            super(new ColorJitter.Factory(), Draws.BY_SAMPLE, Masks.LEFT);
        }

        @Override
        protected PictureChange make(OptionValues options, Place place) {
            return new JitterPictures(options, place);
        }
    }

    private AlignedMemory allocate(long bytes) {
        return memory.closeOnFailure(
                () -> memory.add(AlignedMemory.allocate(bytes, "the random numbers of color changes")));
    }

    @Override
    public List<Integer> shape() {
        return shape;
    }

    @Override
    public PtNDArray apply(PtNDArray pictures, BatchRows rows, PtNDManager manager) {
        int count = rows.count();
        draw(rows);
        List<Long> counts = sort(count);
        try (PtNDArray sorted = HostArrays.view(rowsByPlace, DataType.INT64, manager, CHANGES, count);
                PtNDArray ratio = HostArrays.view(ratios, DataType.FLOAT32, manager, CHANGES, count);
                PtNDArray rest = HostArrays.view(rests, DataType.FLOAT32, manager, CHANGES, count)) {
            return ops.jitter(pictures, sorted, counts, ratio, rest, manager);
        }
    }

    private void draw(BatchRows rows) {
        for (int row = 0; row < rows.count(); row++) {
            draw.draw(random.reset(rows.epoch(), rows.index(row)));
            for (int place = 0; place < CHANGES; place++) {
                orders[row][place] = draw.at(place);
            }
            for (Property property : Property.values()) {
                double factor = draw.changes(property) ? draw.factor(property) : 0;
                int at = (property.number() * rows.count() + row) * Float.BYTES;
                ratios.buffer().putFloat(at, (float) factor);
                rests.buffer().putFloat(at, (float) (1 - factor));
            }
        }
    }

    /**
     * Sorts the rows by their change at each place of the order. Returns the number of rows for each place and change.
     */
    private List<Long> sort(int count) {
        Long[] counts = new Long[CHANGES * CHANGES];
        Arrays.fill(counts, 0L);
        for (int place = 0; place < CHANGES; place++) {
            int at = place * count;
            for (Property property : Property.values()) {
                for (int row = 0; row < count && draw.changes(property); row++) {
                    if (orders[row][place] == property) {
                        rowsByPlace.buffer().putLong(at++ * Long.BYTES, row);
                        counts[place * CHANGES + property.number()]++;
                    }
                }
            }
            for (; at < (place + 1) * count; at++) {
                rowsByPlace.buffer().putLong(at * Long.BYTES, 0); // not counted, but it must be the number of a row
            }
        }
        return new ArrayList<>(List.of(counts));
    }

    @Override
    public void close() {
        memory.close();
    }
}
