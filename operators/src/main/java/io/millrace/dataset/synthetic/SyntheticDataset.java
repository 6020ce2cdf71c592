package io.millrace.dataset.synthetic;

import io.millrace.dataset.Dataset;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/** A dataset whose samples are functions of the seed and the index: the label is drawn first, then the bytes. */
final class SyntheticDataset implements Dataset {
    /** The largest number of bytes in an image. */
    static final int MAX_BYTES = 1 << 30;

    /** The largest number of rows or columns in an image, so that their product fits a {@code long}. */
    static final int MAX_EXTENT = 1 << 30;

    /** The largest number of classes with names. A longer list would not help. */
    private static final int MAX_NAMED_CLASSES = 1 << 16;

    private final long size;
    private final int height;
    private final int width;
    private final int channels;
    private final int labels;
    private final long seed;
    private final List<String> classes;

    SyntheticDataset(long size, int height, int width, int channels, int labels, long seed) {
        this.size = size;
        this.height = height;
        this.width = width;
        this.channels = channels;
        this.labels = labels;
        this.seed = seed;
        this.classes = labels > MAX_NAMED_CLASSES
                ? List.of()
                : IntStream.range(0, labels).mapToObj(Integer::toString).toList();
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public Sample read(long index) {
        SampleRandom random = random(index);
        int label = random.nextInt(labels);
        byte[] pixels = new byte[height * width * channels];
        random.nextBytes(pixels);
        return new Sample(index, "synthetic#" + index, label)
                .put(Sample.IMAGE, Field.image(height, width, channels, pixels));
    }

    @Override
    public long label(long index) {
        return random(index).nextInt(labels);
    }

    private SampleRandom random(long index) {
        Objects.checkIndex(index, size);
        return new SampleRandom(seed, SampleRandom.GENERATED_DATA).reset(0, index);
    }

    @Override
    public List<String> classes() {
        return classes;
    }

    @Override
    public boolean resident() {
        return true;
    }

    @Override
    public void close() {
        // The dataset holds nothing but numbers.
    }
}
