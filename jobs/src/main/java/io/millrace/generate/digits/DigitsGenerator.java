package io.millrace.generate.digits;

import io.millrace.generate.Generation;
import io.millrace.generate.Generator;
import io.millrace.generate.GeneratorRandom;
import io.millrace.generate.ParallelDrawing;
import io.millrace.generate.ProgressListener;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The generator of an MNIST-like dataset: both splits, as four IDX files. */
public final class DigitsGenerator implements Generator {
    /** The version of the drawing, which is increased when images change, so that older folders are not reused. */
    private static final int VERSION = 1;

    private static final int CHUNK = 500;

    private static final OptionType<Integer> COUNT = OptionType.integers(1, 2_000_000);

    static final Option<Integer> TRAIN =
            Option.of("train", COUNT, "The number of digits to train on.").orElse(60_000);
    static final Option<Integer> TEST =
            Option.of("test", COUNT, "The number of digits to test with.").orElse(10_000);
    static final Option<Long> SEED = Option.of(
                    "seed", OptionType.LONG, "The seed of the generator: with the same seed, the digits are the same.")
            .orElse(1L);

    private enum Split {
        TRAIN("train", 0),
        TEST("t10k", 1);

        private final String prefix;
        private final int stream;

        Split(String prefix, int stream) {
            this.prefix = prefix;
            this.stream = stream;
        }

        String images() {
            return prefix + "-images-idx3-ubyte";
        }

        String labels() {
            return prefix + "-labels-idx1-ubyte";
        }
    }

    private static final Set<String> FILES =
            Set.of(Split.TRAIN.images(), Split.TRAIN.labels(), Split.TEST.images(), Split.TEST.labels());

    @Override
    public String name() {
        return "digits";
    }

    @Override
    public String help() {
        return "Handwritten-looking 28x28 digits as the four IDX files of MNIST.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(TRAIN, TEST, SEED);
    }

    @Override
    public Generation request(OptionValues values) {
        return described(values, 0);
    }

    @Override
    public boolean owns(Path relative) {
        return FILES.contains(relative.toString());
    }

    @Override
    public Generation draw(OptionValues values, Path folder, int threads, ProgressListener progress)
            throws IOException {
        long seed = values.get(SEED);
        int train = values.get(TRAIN);
        int test = values.get(TEST);
        long total = (long) train + test;
        draw(folder, Split.TRAIN, seed, train, threads, (done, all) -> progress.progressed(done, total));
        draw(folder, Split.TEST, seed, test, threads, (done, all) -> progress.progressed(train + done, total));
        return described(
                values, total * (DigitPen.PIXELS + 1) + 2 * (IdxFileWriter.IMAGE_HEADER + IdxFileWriter.LABEL_HEADER));
    }

    private static Generation described(OptionValues values, long bytes) {
        int train = values.get(TRAIN);
        int test = values.get(TEST);
        return new Generation(
                "digits",
                VERSION,
                Map.of("train", train, "test", test, "seed", values.get(SEED)),
                Map.of("train", (long) train, "test", (long) test),
                bytes,
                List.of());
    }

    private static void draw(Path folder, Split split, long seed, int count, int threads, ProgressListener progress)
            throws IOException {
        try (IdxFileWriter images = IdxFileWriter.images(folder.resolve(split.images()), count, DigitPen.SIDE);
                IdxFileWriter labels = IdxFileWriter.labels(folder.resolve(split.labels()), count)) {
            ParallelDrawing.draw(count, CHUNK, threads, () -> new Artist(split, seed, images, labels), progress);
            images.publish();
            labels.publish();
        }
    }

    /** A drawer of ranges of one split. */
    private static final class Artist implements ParallelDrawing.Artist {
        private final Split split;
        private final long seed;
        private final IdxFileWriter images;
        private final IdxFileWriter labels;
        private final DigitPen pen = new DigitPen();

        Artist(Split split, long seed, IdxFileWriter images, IdxFileWriter labels) {
            this.split = split;
            this.seed = seed;
            this.images = images;
            this.labels = labels;
        }

        @Override
        public void draw(long from, long to) throws IOException {
            int count = (int) (to - from);
            byte[] pixels = new byte[count * DigitPen.PIXELS];
            byte[] digits = new byte[count];
            for (int i = 0; i < count; i++) {
                GeneratorRandom random = new GeneratorRandom(seed, split.stream, from + i);
                digits[i] = (byte) random.below(10);
                pen.draw(digits[i], random, pixels, i * DigitPen.PIXELS);
            }
            images.write(from, pixels);
            labels.write(from, digits);
        }
    }
}
