package io.millrace.train.input;

import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.DType;
import io.millrace.sample.FieldKind;
import io.millrace.train.spec.RowStage;
import io.millrace.train.spec.TrainSpecException;
import io.millrace.transform.TransformFactory;
import java.util.List;
import java.util.Optional;

/**
 * A service that runs a transform of pictures on the device. The transform is declared by its factory for the data servers: it has
 * the same name, options, random numbers and results. Jars add others by listing their factories in {@code META-INF/services}. A
 * factory is stateless.
 *
 * <p>Tested by {@code PictureTransformsContract} and {@code OwnJarITCase}.
 */
public abstract class PictureTransformFactory {
    private final TransformFactory onServers;
    private final Draws draws;
    private final Masks masks;

    /** The treatment of masks. */
    public enum Masks {
        /** Masks are changed like images. */
        CHANGED,
        /** Masks stay unchanged. */
        LEFT
    }

    /** The random numbers of a transform. */
    public enum Draws {
        /** Random numbers for each sample. The transform applies to training only. */
        BY_SAMPLE,
        /** No random numbers: the change depends only on the pictures' size. */
        NOTHING
    }

    /** The input whose rows are changed, and the resources for the change. */
    public static final class Place {
        private final List<Integer> shape;
        private final FieldKind kind;
        private final SampleRandom random;
        private final int capacity;
        private final DeviceOps ops;
        private final PtNDManager manager;

        Place(
                List<Integer> shape,
                FieldKind kind,
                SampleRandom random,
                int capacity,
                DeviceOps ops,
                PtNDManager manager) {
            this.shape = shape;
            this.kind = kind;
            this.random = random;
            this.capacity = capacity;
            this.ops = ops;
            this.manager = manager;
        }

        /** Returns the shape of a row before the change: [height, width, channels], with 1 or 3 channels. */
        public List<Integer> shape() {
            return shape;
        }

        /** Returns whether the pictures are images or masks. */
        public FieldKind kind() {
            return kind;
        }

        /** Returns the source of the random numbers, which are those of the transform on the data servers. */
        public SampleRandom random() {
            return random;
        }

        /** Returns the largest number of rows of a batch. */
        public int capacity() {
            return capacity;
        }

        DeviceOps ops() {
            return ops;
        }

        /** Returns the owner of constants, on the engine's device. */
        public PtNDManager manager() {
            return manager;
        }
    }

    /**
     * Creates a factory.
     *
     * @param onServers the factory of the same transform on the data servers
     */
    protected PictureTransformFactory(TransformFactory onServers, Draws draws, Masks masks) {
        this.onServers = onServers;
        this.draws = draws;
        this.masks = masks;
    }

    /**
     * Creates the change of an input.
     *
     * @throws TrainSpecException when it does not fit the input
     */
    protected abstract PictureChange make(OptionValues options, Place place);

    /** Returns the factory of the same transform on the data servers. */
    final TransformFactory onServers() {
        return onServers;
    }

    final boolean random() {
        return draws == Draws.BY_SAMPLE;
    }

    /** Returns whether the transform changes fields of a kind. */
    final boolean changes(FieldKind kind) {
        return kind == FieldKind.IMAGE || (kind == FieldKind.MASK && masks == Masks.CHANGED);
    }

    /**
     * Creates the change that a stage makes to an input; empty if the stage does not change the input.
     *
     * @param shape the shape of the input's rows before the stage
     * @throws TrainSpecException when the transform does not fit the input
     */
    final Optional<PictureChange> open(
            RowStage stage,
            BatchSpec.Column column,
            List<Integer> shape,
            long seed,
            int capacity,
            DeviceOps ops,
            PtNDManager manager) {
        if (!changes(column.kind()) || !column.pictures()) {
            return Optional.empty();
        }
        int channels = shape.get(2);
        if (column.dtype() != DType.UINT8 || (channels != 1 && channels != 3)) {
            throw new TrainSpecException(stage.part().name() + " needs images of bytes with 1 or 3 channels, found '"
                    + column.name() + "' as " + column.describe());
        }
        Place place = new Place(shape, column.kind(), new SampleRandom(seed, stage.number()), capacity, ops, manager);
        return Optional.of(make(stage.part().options(), place));
    }
}
