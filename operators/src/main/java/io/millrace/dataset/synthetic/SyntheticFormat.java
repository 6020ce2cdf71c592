package io.millrace.dataset.synthetic;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.StorageOptions;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import io.millrace.order.Permutation;
import java.io.IOException;
import java.util.List;

/** The format of images of uniform random bytes with random labels. */
public final class SyntheticFormat implements DatasetFormat {
    /** The option for the number of samples. */
    public static final Option<Long> SIZE = Option.of(
                    "size",
                    OptionType.LONG.where(size -> size >= 1 && size <= Permutation.MAX_SIZE, "a number from 1 to 2^40"),
                    "The number of samples.")
            .decides(Identity.BATCHES);

    /** The option for the images' shape. */
    public static final Option<List<Integer>> SHAPE = Option.of(
                    "shape",
                    OptionType.listOf(OptionType.INTEGER)
                            .where(SyntheticFormat::isImage, "[height, width, channels] with 1 or 3 channels"),
                    "Height, width and channels of each image.")
            .orElse(List.of(224, 224, 3))
            .decides(Identity.BATCHES);

    /** The option for the number of labels. */
    public static final Option<Integer> CLASSES = Option.of(
                    "classes",
                    OptionType.INTEGER.where(classes -> classes >= 1, "at least 1"),
                    "The number of classes; labels are random numbers from 0 to this number less 1.")
            .orElse(10)
            .decides(Identity.BATCHES);

    /** The option for the seed. */
    public static final Option<Long> SEED = Option.of(
                    "seed", OptionType.LONG, "The seed of the samples; the run's seed does not change them.")
            .orElse(0L)
            .decides(Identity.BATCHES);

    @Override
    public String name() {
        return "synthetic";
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of("synthetic", "fake", "fakedata", "random");
    }

    @Override
    public String help() {
        return "Uniform random bytes with random labels, computed when they are read, without I/O. There is nothing to learn.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(SIZE, SHAPE, CLASSES, SEED);
    }

    @Override
    public Dataset open(OptionValues options, StorageOptions storageOptions) throws IOException {
        List<Integer> shape = options.get(SHAPE);
        long bytes = (long) shape.get(0) * shape.get(1) * shape.get(2);
        if (shape.get(0) > SyntheticDataset.MAX_EXTENT
                || shape.get(1) > SyntheticDataset.MAX_EXTENT
                || bytes > SyntheticDataset.MAX_BYTES) {
            throw new DatasetException("images of shape " + shape + " are too large: expected at most "
                    + SyntheticDataset.MAX_BYTES + " bytes");
        }
        return new SyntheticDataset(
                options.get(SIZE), shape.get(0), shape.get(1), shape.get(2), options.get(CLASSES), options.get(SEED));
    }

    private static boolean isImage(List<Integer> shape) {
        return shape.size() == 3 && shape.get(0) >= 1 && shape.get(1) >= 1 && (shape.get(2) == 1 || shape.get(2) == 3);
    }
}
