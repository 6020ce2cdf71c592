package io.millrace.train.input;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.image.Interpolation;
import io.millrace.image.ResizeSteps;
import io.millrace.option.OptionValues;
import io.millrace.sample.FieldKind;
import io.millrace.train.spec.TrainSpecException;
import io.millrace.transform.Resize;
import io.millrace.transform.ResizeRule;
import java.util.ArrayList;
import java.util.List;

/** A resize of all rows, pass by pass, with the same tables as on the data servers. */
final class ResizePictures implements PictureChange {
    private final List<Integer> shape;
    private final DeviceOps ops;
    private final List<Pass> passes = new ArrayList<>();

    /** One pass of a resize, with its tables on the device. */
    private sealed interface Pass {}

    private record Filter(PtNDArray starts, PtNDArray weights, DeviceOps.Axis axis) implements Pass {}

    private record Pick(PtNDArray rows, PtNDArray columns) implements Pass {}

    private ResizePictures(int height, int width, Interpolation interpolation, PictureTransformFactory.Place place) {
        List<Integer> from = place.shape();
        PtNDManager manager = place.manager();
        this.shape = List.of(height, width, from.get(2));
        this.ops = place.ops();
        for (ResizeSteps.Step step : ResizeSteps.of(interpolation, from.get(0), from.get(1), height, width)) {
            if (step instanceof ResizeSteps.Filter filter) {
                passes.add(new Filter(
                        places(filter.starts(), manager), weights(filter.weights(), manager), axis(filter.axis())));
            } else if (step instanceof ResizeSteps.Pick pick) {
                passes.add(new Pick(places(pick.rows(), manager), places(pick.columns(), manager)));
            }
        }
    }

    /** The factory of {@code Resize}. */
    public static final class Factory extends PictureTransformFactory {
        /** Creates the factory, for the service loader. */
        public Factory() {
            super(new Resize.Factory(), Draws.NOTHING, Masks.CHANGED);
        }

        @Override
        protected PictureChange make(OptionValues options, Place place) {
            ResizeRule rule = ResizeRule.of(options);
            List<Integer> from = place.shape();
            ResizeRule.Target target = rule.target(from.get(0), from.get(1));
            if (!target.usable()) {
                throw new TrainSpecException("Resize would change images of " + from.get(0) + "x" + from.get(1) + " to "
                        + target.height() + "x" + target.width());
            }
            Interpolation interpolation = place.kind() == FieldKind.MASK ? Interpolation.NEAREST : rule.interpolation();
            return new ResizePictures(target.height(), target.width(), interpolation, place);
        }
    }

    private static DeviceOps.Axis axis(ResizeSteps.Axis axis) {
        return axis == ResizeSteps.Axis.DOWN ? DeviceOps.Axis.DOWN : DeviceOps.Axis.ACROSS;
    }

    private static PtNDArray places(List<Integer> places, PtNDManager manager) {
        return (PtNDArray)
                manager.create(places.stream().mapToLong(place -> place).toArray());
    }

    private static PtNDArray weights(List<List<Integer>> weights, PtNDManager manager) {
        int[] all = weights.stream()
                .flatMap(List::stream)
                .mapToInt(weight -> weight)
                .toArray();
        return (PtNDArray)
                manager.create(all, new Shape(weights.size(), weights.get(0).size()));
    }

    @Override
    public List<Integer> shape() {
        return shape;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // the caller owns the first tensor, so it is not closed here
    public PtNDArray apply(PtNDArray pictures, BatchRows rows, PtNDManager manager) {
        PtNDArray made = pictures;
        for (Pass pass : passes) {
            PtNDArray before = made;
            if (pass instanceof Filter filter) {
                made = ops.filter(before, filter.starts, filter.weights, filter.axis, manager);
            } else if (pass instanceof Pick pick) {
                made = ops.pick(before, pick.rows, pick.columns, manager);
            }
            if (before != pictures) {
                before.close();
            }
        }
        return made;
    }

    /** Does nothing, because the manager owns the tables. */
    @Override
    public void close() {}
}
