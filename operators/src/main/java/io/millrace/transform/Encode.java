package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.ImageEncoder;
import io.millrace.image.ImageEncoder.Encoding;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.List;

/**
 * A transform that encodes pixels, for example to write shards. With another {@code decode} after it, training uses images with
 * the compression losses of a codec. Masks always become PNG, because their class numbers must not change.
 */
final class Encode implements Transform {
    private final Encoding encoding;
    private final int quality;

    private Encode(Encoding encoding, int quality) {
        this.encoding = encoding;
        this.quality = quality;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        for (String name : List.copyOf(sample.fieldNames())) {
            Field field = sample.field(name);
            boolean mask = field.kind() == FieldKind.MASK;
            if (field.dtype() == DType.ENCODED || !(mask || field.kind() == FieldKind.IMAGE)) {
                continue;
            }
            boolean picture = field.dtype() == DType.UINT8
                    && field.shape().length == 3
                    && (field.channels() == 1 || field.channels() == 3)
                    && field.data().length > 0;
            if (!picture) {
                throw new BadSampleException(
                        sample.key(),
                        -1,
                        "Encode expected a uint8 image [height, width, 1 or 3] in '" + name + "', found " + field);
            }
            byte[] encoded = ImageEncoder.encode(field, mask ? Encoding.PNG : encoding, quality);
            sample.put(name, Field.encoded(encoded).as(field.kind()));
        }
    }

    /** The factory of {@code Encode}. */
    public static final class Factory implements TransformFactory {
        private static final Option<Encoding> FORMAT = Option.of(
                        "format", OptionType.choice(Encoding.class), "The image format; masks are always PNG.")
                .orElse(Encoding.JPEG);

        private static final Option<Integer> QUALITY = Option.of(
                        "quality", OptionType.integers(1, 100), "The quality of JPEG and WebP.")
                .orElse(90);

        @Override
        public String name() {
            return "Encode";
        }

        @Override
        public String help() {
            return "Encodes pixels as JPEG, PNG or WebP. With decode after it, the images of training have the compression losses of the codec.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(FORMAT, QUALITY);
        }

        @Override
        public Transform create(OptionValues options) {
            return new Encode(options.get(FORMAT), options.get(QUALITY));
        }
    }
}
