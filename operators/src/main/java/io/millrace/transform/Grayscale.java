package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.ColorOps;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.util.List;

/** A transform that makes images gray. */
final class Grayscale implements Transform {
    private final ColorOps operations = new ColorOps();
    private final ImageFields images = new ImageFields("Grayscale");
    private final int channels;

    private Grayscale(int channels) {
        this.channels = channels;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        images.changeImages(sample, (image, spare) -> operations.grayscale(image, channels, spare));
    }

    /** The factory of {@code Grayscale}. */
    public static final class Factory implements TransformFactory {
        private static final Option<Integer> CHANNELS = Option.of(
                        "num_output_channels",
                        OptionType.INTEGER.where(value -> value == 1 || value == 3, "1 or 3"),
                        "The number of channels of the result; three channels are equal.")
                .orElse(1);

        @Override
        public String name() {
            return "Grayscale";
        }

        @Override
        public List<OtherName> alsoCalled() {
            return OtherName.of("Grayscale", "ToGray");
        }

        @Override
        public String help() {
            return "Makes images gray, with one channel or three equal ones.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(CHANNELS);
        }

        @Override
        public PictureWork pictureWork(OptionValues options) {
            return PictureWork.PER_PIXEL;
        }

        @Override
        public Transform create(OptionValues options) {
            return new Grayscale(options.get(CHANNELS));
        }
    }
}
