package io.millrace.transform;

import io.millrace.dataset.MalformedSampleException;
import io.millrace.image.DecodeLimits;
import io.millrace.image.ImageDecoder;
import io.millrace.image.ImageIntegrity;
import io.millrace.image.MalformedImageException;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.List;

/** Encoded image to uint8 RGB pixels [height, width, 3]; an image that is pixels already passes unchanged. */
final class Decode implements Transform {
    private final ImageDecoder decoder;
    private final boolean upright;

    /** The pixels of the sample before, which has left the chain by now: see {@link Transform}. */
    private byte[] latest = {};

    private Decode(ImageDecoder decoder, boolean upright) {
        this.decoder = decoder;
        this.upright = upright;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws MalformedSampleException {
        Field image = sample.image();
        if (image.dtype() != DType.ENCODED) {
            return;
        }
        try {
            Field decoded = upright ? decoder.decodeUpright(image.data()) : decoder.decode(image.data(), latest);
            latest = decoded.data();
            sample.put(Sample.IMAGE, decoded);
        } catch (MalformedImageException e) {
            MalformedSampleException malformed = new MalformedSampleException(sample.key(), e.offset(), e.reason());
            malformed.initCause(e);
            throw malformed;
        }
    }

    /** {@code decode}. */
    public static final class Factory implements TransformFactory {
        private static final Option<Long> MAX_PIXELS = Option.of(
                        "max_pixels",
                        OptionType.LONG.where(
                                value -> value >= 1 && value <= DecodeLimits.MOST_PIXELS,
                                "1 to " + DecodeLimits.MOST_PIXELS),
                        "Images whose header says more pixels are quarantined without being decoded.")
                .orElse(DecodeLimits.DEFAULT.maxPixels());

        private static final Option<Long> MAX_BYTES = Option.of(
                        "max_bytes",
                        OptionType.LONG.where(value -> value >= 1, "at least 1"),
                        "Longer encoded images are quarantined.")
                .orElse(DecodeLimits.DEFAULT.maxEncodedBytes());

        private static final Option<Boolean> EXIF = Option.of(
                        "exif", OptionType.BOOLEAN, "Whether to turn images upright by their EXIF orientation.")
                .orElse(false);

        private static final Option<ImageIntegrity> INTEGRITY = Option.of(
                        "integrity",
                        OptionType.choice(ImageIntegrity.class),
                        "How closely to look for damage: the structure alone, or a JPEG's entropy-coded data too (a third slower).")
                .orElse(ImageIntegrity.STRUCTURE);

        @Override
        public String name() {
            return "decode";
        }

        @Override
        public String help() {
            return "Decodes JPEG, PNG, BMP, GIF, WebP, TIFF and PNM to RGB with Pillow's pixels.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(MAX_PIXELS, MAX_BYTES, EXIF, INTEGRITY);
        }

        @Override
        public Transform create(OptionValues options) {
            DecodeLimits limits = new DecodeLimits(options.get(MAX_PIXELS), options.get(MAX_BYTES));
            return new Decode(new ImageDecoder(limits, options.get(INTEGRITY)), options.get(EXIF));
        }
    }
}
