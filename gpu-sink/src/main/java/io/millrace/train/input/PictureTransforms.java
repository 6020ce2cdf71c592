package io.millrace.train.input;

import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.image.Interpolation;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.DType;
import io.millrace.sample.FieldKind;
import io.millrace.train.spec.NamedMaker;
import io.millrace.train.spec.RowStage;
import io.millrace.train.spec.TrainSpecException;
import io.millrace.transform.FlipDraw;
import io.millrace.transform.JitterDraw;
import io.millrace.transform.ResizeRule;
import java.util.List;
import java.util.Optional;

/**
 * The device transforms that change the bytes of pictures. Each has the same name, options and results as a transform
 * on the data servers. Stateless.
 */
final class PictureTransforms {
    static final List<NamedMaker<DeviceTransforms.Maker>> ALL = List.of(
            new NamedMaker<>(
                    "RandomHorizontalFlip",
                    "Swaps left and right of a row with probability p, in training.",
                    FlipDraw.OPTIONS,
                    new Kind(
                            Draws.BY_SAMPLE,
                            Masks.CHANGED,
                            (options, place) -> flip(options, place, DeviceOps.Axis.ACROSS))),
            new NamedMaker<>(
                    "RandomVerticalFlip",
                    "Swaps top and bottom of a row with probability p, in training.",
                    FlipDraw.OPTIONS,
                    new Kind(
                            Draws.BY_SAMPLE,
                            Masks.CHANGED,
                            (options, place) -> flip(options, place, DeviceOps.Axis.DOWN))),
            new NamedMaker<>(
                    "ColorJitter",
                    "Changes brightness, contrast, saturation and hue of a row by random factors, in random order, in training.",
                    JitterDraw.OPTIONS,
                    new Kind(Draws.BY_SAMPLE, Masks.LEFT, PictureTransforms::jitter)),
            new NamedMaker<>(
                    "Resize",
                    "Resizes rows of one size to a shorter edge or to an exact size, with Pillow's pixels.",
                    ResizeRule.OPTIONS,
                    new Kind(Draws.NOTHING, Masks.CHANGED, PictureTransforms::resize)));

    private PictureTransforms() {}

    /** The treatment of masks. */
    enum Masks {
        /** Masks are changed like images. */
        CHANGED,
        /** Masks stay unchanged. */
        LEFT
    }

    /** The random numbers of a transform. */
    enum Draws {
        /** Random numbers for each sample. */
        BY_SAMPLE,
        /** No random numbers: the change depends only on the pictures' size. */
        NOTHING
    }

    /** The input whose rows are changed, and the resources for the change. */
    record Place(
            List<Integer> shape,
            FieldKind kind,
            SampleRandom random,
            int capacity,
            DeviceOps ops,
            PtNDManager manager) {}

    /** A function that creates a change. */
    @FunctionalInterface
    interface Making {
        PictureChange make(OptionValues options, Place place);
    }

    /** One of the transforms. */
    record Kind(Draws draws, Masks masks, Making making) implements DeviceTransforms.Maker {
        boolean random() {
            return draws == Draws.BY_SAMPLE;
        }

        /** Returns whether the transform changes fields of a kind. */
        boolean changes(FieldKind kind) {
            return kind == FieldKind.IMAGE || (kind == FieldKind.MASK && masks == Masks.CHANGED);
        }
    }

    /**
     * Creates the change that a stage makes to an input; empty if the stage does not change the input.
     *
     * @param shape the shape of the input's rows before the stage
     * @throws TrainSpecException when the transform does not fit the input
     */
    static Optional<PictureChange> open(
            RowStage stage,
            Kind kind,
            BatchSpec.Column column,
            List<Integer> shape,
            long seed,
            int capacity,
            DeviceOps ops,
            PtNDManager manager) {
        if (!kind.changes(column.kind()) || !column.pictures()) {
            return Optional.empty();
        }
        int channels = shape.get(2);
        if (column.dtype() != DType.UINT8 || (channels != 1 && channels != 3)) {
            throw new TrainSpecException(stage.part().name() + " needs images of bytes with 1 or 3 channels, found '"
                    + column.name() + "' as " + column.describe());
        }
        Place place = new Place(shape, column.kind(), new SampleRandom(seed, stage.number()), capacity, ops, manager);
        return Optional.of(kind.making.make(stage.part().options(), place));
    }

    private static PictureChange flip(OptionValues options, Place place, DeviceOps.Axis axis) {
        return new FlipPictures(place.shape, FlipDraw.of(options), axis, place.random, place.capacity, place.ops);
    }

    private static PictureChange jitter(OptionValues options, Place place) {
        return new JitterPictures(place.shape, JitterDraw.of(options), place.random, place.capacity, place.ops);
    }

    private static PictureChange resize(OptionValues options, Place place) {
        ResizeRule rule = ResizeRule.of(options);
        ResizeRule.Target target = rule.target(place.shape.get(0), place.shape.get(1));
        if (!target.usable()) {
            throw new TrainSpecException("Resize would change images of " + place.shape.get(0) + "x"
                    + place.shape.get(1) + " to " + target.height() + "x" + target.width());
        }
        Interpolation interpolation = place.kind == FieldKind.MASK ? Interpolation.NEAREST : rule.interpolation();
        return new ResizePictures(
                place.shape, target.height(), target.width(), interpolation, place.ops, place.manager);
    }
}
