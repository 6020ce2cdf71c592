package io.millrace.tutorial;

import io.millrace.dataset.BadSampleException;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.transform.Transform;
import io.millrace.transform.TransformFactory;
import java.util.List;

/**
 * A transform in one class, which adds noise to an image. It uses only the random numbers that it receives, so a sample
 * is the same at any parallelism and in every run.
 */
public final class AddNoise implements Transform {
    private static final int BRIGHTEST = 255;

    private final int most;

    private AddNoise(int most) {
        this.most = most;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        Field image = sample.image();
        if (image.dtype() != DType.UINT8) {
            throw new BadSampleException(
                    sample.key(), -1, "AddNoise: expected pixels, found " + image + "; is decode missing before it?");
        }
        byte[] pixels = image.data(); // a transform may write into the field that it receives
        for (int i = 0; i < pixels.length; i++) {
            int noisy = (pixels[i] & 0xFF) + random.nextInt(2 * most + 1) - most;
            pixels[i] = (byte) Math.max(0, Math.min(BRIGHTEST, noisy));
        }
    }

    /** The factory that pipeline files and {@code META-INF/services/io.millrace.transform.TransformFactory} name. */
    public static final class Factory implements TransformFactory {
        private static final Option<Integer> MOST = Option.of(
                        "most",
                        OptionType.INTEGER.where(most -> most >= 0 && most <= BRIGHTEST, "0 to 255"),
                        "The most that is added to, or taken from, a value.")
                .orElse(16);

        @Override
        public String name() {
            return "AddNoise";
        }

        @Override
        public String help() {
            return "Adds uniform noise to every value.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(MOST);
        }

        @Override
        public Transform create(OptionValues options) {
            return new AddNoise(options.get(MOST));
        }
    }
}
