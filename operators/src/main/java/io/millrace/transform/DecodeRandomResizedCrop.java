package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.Crop;
import io.millrace.image.ImageDecoder;
import io.millrace.image.Interpolation;
import io.millrace.image.MaskDecoder;
import io.millrace.image.PixelLayout;
import io.millrace.image.PixelOps;
import io.millrace.image.Resampler;
import io.millrace.image.ResizedView;
import io.millrace.image.codec.CheckedImage;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.Arrays;
import java.util.List;

/**
 * {@code decode}, {@code RandomResizedCrop} and {@code RandomHorizontalFlip} as one stage: with the native kernels a
 * picture goes from its encoded bytes to the result in one call, and its rows never leave the processor's cache. The pixels
 * are those of the three stages for the same crop and flip; the numbers are drawn from this stage's own stream.
 */
final class DecodeRandomResizedCrop implements Transform {
    private static final String NAME = "DecodeRandomResizedCrop";
    private static final byte[] NONE = {};

    private final ImageDecoder decoder;
    private final EncodedPictures pictures;
    private final Shape shape;
    private final double flip;
    private final Resampler resampler;
    private final Resampler nearest = new Resampler(Interpolation.NEAREST);

    /** The pixels of the sample before, which has left the chain by now: see {@link Transform}. */
    private byte[][] latest = {NONE};

    private String drawn = "";

    /** What crops are drawn, and how large they become. */
    private record Shape(Size.Exact size, Range scale, Range ratio) {}

    private DecodeRandomResizedCrop(ImageDecoder decoder, Shape shape, double flip, Resampler resampler) {
        this.decoder = decoder;
        this.pictures = new EncodedPictures(decoder);
        this.shape = shape;
        this.flip = flip;
        this.resampler = resampler;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        pictures.check(sample, NAME);
        if (pictures.othersDecoded()) {
            throw new IllegalStateException(NAME + " decodes, but sample " + sample.key()
                    + " has pictures that are pixels already: use RandomResizedCrop and RandomHorizontalFlip");
        }
        if (!pictures.oneSize()) {
            throw ImageFields.malformed(sample, NAME + " expected images and masks of one size, found " + sizes());
        }
        Crop crop = RandomResizedCrop.draw(
                random, pictures.image(0).height(), pictures.image(0).width(), shape.scale, shape.ratio);
        boolean mirrored = random.nextDouble() < flip;
        drawn = "crop " + crop + (mirrored ? ", flipped" : ", as is");
        ResizedView view = new ResizedView(crop, shape.size.height(), shape.size.width(), mirrored, PixelLayout.HWC);
        if (pictures.count() > latest.length) {
            int before = latest.length;
            latest = Arrays.copyOf(latest, pictures.count());
            Arrays.fill(latest, before, latest.length, NONE);
        }
        for (int i = 0; i < pictures.count(); i++) {
            FieldKind kind = sample.field(pictures.name(i)).kind();
            Field made = make(sample, pictures.image(i), kind, view, latest[i]);
            latest[i] = made.data();
            sample.put(pictures.name(i), made.as(kind));
        }
    }

    private Field make(Sample sample, CheckedImage image, FieldKind kind, ResizedView view, byte[] spare)
            throws BadSampleException {
        try {
            if (kind == FieldKind.IMAGE) {
                return decoder.decodeResized(image, view, resampler, spare);
            }
            Field mask = nearest.resize(MaskDecoder.decode(image), view.crop(), view.height(), view.width());
            if (view.mirrored()) {
                PixelOps.mirrorColumns(mask);
            }
            return mask;
        } catch (MalformedImageException e) {
            throw EncodedPictures.malformed(sample, e);
        }
    }

    private String sizes() {
        StringBuilder sizes = new StringBuilder();
        for (int i = 0; i < pictures.count(); i++) {
            CheckedImage image = pictures.image(i);
            sizes.append(i == 0 ? "'" : ", '")
                    .append(pictures.name(i))
                    .append("' ")
                    .append(image.height())
                    .append('x')
                    .append(image.width());
        }
        return sizes.toString();
    }

    @Override
    public String drawn() {
        return drawn;
    }

    /** {@code DecodeRandomResizedCrop}. */
    public static final class Factory implements TransformFactory {
        private static final Option<Double> FLIP = Option.of(
                        "flip", Probability.TYPE, "The probability that left and right are swapped.")
                .orElse(0.0);

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public String help() {
            return "decode, RandomResizedCrop and RandomHorizontalFlip in one: the same pixels, faster.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(
                    RandomResizedCrop.Factory.SIZE,
                    RandomResizedCrop.Factory.SCALE,
                    RandomResizedCrop.Factory.RATIO,
                    FLIP,
                    ResampleOptions.INTERPOLATION,
                    ResampleOptions.ANTIALIAS,
                    DecodeOptions.MAX_PIXELS,
                    DecodeOptions.MAX_BYTES,
                    DecodeOptions.INTEGRITY);
        }

        @Override
        public Transform create(OptionValues options) {
            Shape shape = new Shape(
                    options.get(RandomResizedCrop.Factory.SIZE).square(),
                    options.get(RandomResizedCrop.Factory.SCALE),
                    options.get(RandomResizedCrop.Factory.RATIO));
            return new DecodeRandomResizedCrop(
                    DecodeOptions.decoder(options),
                    shape,
                    options.get(FLIP),
                    new Resampler(options.get(ResampleOptions.INTERPOLATION)));
        }
    }
}
