package io.millrace.transform;

import io.millrace.dataset.MalformedSampleException;
import io.millrace.image.CheckedImage;
import io.millrace.image.Crop;
import io.millrace.image.ImageDecoder;
import io.millrace.image.MalformedImageException;
import io.millrace.image.MaskDecoder;
import io.millrace.image.PixelOps;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.sample.Window;
import io.millrace.transform.Cropping.Taken;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Encoded images to uint8 RGB pixels [height, width, 3], encoded masks to class numbers [height, width, 1]; what is pixels
 * already passes unchanged.
 *
 * <p>Directly before a stage that is {@link Cropping} it decodes only what that stage will take, where that can be told:
 * where all pictures of the sample are still encoded and have one size, and none is to be turned.
 */
final class Decode implements Transform {
    private static final byte[] NONE = {};

    private final ImageDecoder decoder;
    private final Mode mode;
    private final @Nullable LookAhead lookAhead;
    private final List<CheckedImage> checked = new ArrayList<>();

    /** The pixels of the sample before, which has left the chain by now: see {@link Transform}. */
    private byte[][] latest = {NONE};

    /** How to decode: whether to turn upright, to look at what the next stage needs, and to do no more than that. */
    private record Mode(boolean upright, boolean lookAhead, boolean reduced) {}

    private Decode(ImageDecoder decoder, Mode mode, @Nullable LookAhead lookAhead) {
        this.decoder = decoder;
        this.mode = mode;
        this.lookAhead = lookAhead;
    }

    /** The same, decoding only what the stage behind takes, unless the pipeline's file forbids it. */
    Transform lookingAhead(LookAhead next) {
        return mode.lookAhead ? new Decode(decoder, mode, next) : this;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws MalformedSampleException {
        List<String> names = sample.fieldNames();
        checked.clear();
        boolean whole = false;
        boolean pictures = false;
        for (int i = 0; i < names.size(); i++) {
            Field field = sample.field(names.get(i));
            if (field.kind() == FieldKind.IMAGE || field.kind() == FieldKind.MASK) {
                pictures = true;
                if (field.dtype() == DType.ENCODED) {
                    CheckedImage image = check(sample, field);
                    checked.add(image);
                    whole |= mode.upright && image.header().orientation() != 1;
                } else {
                    whole = true;
                }
            }
        }
        if (!pictures) {
            throw new IllegalStateException(
                    "decode works on images, but sample " + sample.key() + " has none, only " + names);
        }
        Optional<Taken> taken = lookAhead == null || whole || !oneSize()
                ? Optional.empty()
                : lookAhead.taken(
                        sample, checked.get(0).height(), checked.get(0).width());
        int ordinal = 0;
        for (int i = 0; ordinal < checked.size(); i++) {
            Field field = sample.field(names.get(i));
            if (field.dtype() == DType.ENCODED && (field.kind() == FieldKind.IMAGE || field.kind() == FieldKind.MASK)) {
                Field decoded = decode(sample, checked.get(ordinal), field.kind(), taken.orElse(null), spare(ordinal));
                latest[ordinal++] = decoded.data();
                sample.put(names.get(i), decoded.as(field.kind()));
            }
        }
    }

    private boolean oneSize() {
        for (CheckedImage image : checked) {
            if (image.height() != checked.get(0).height()
                    || image.width() != checked.get(0).width()) {
                return false;
            }
        }
        return !checked.isEmpty();
    }

    private byte[] spare(int ordinal) {
        if (ordinal == latest.length) {
            latest = Arrays.copyOf(latest, ordinal + 1);
            latest[ordinal] = NONE;
        }
        return latest[ordinal];
    }

    private CheckedImage check(Sample sample, Field field) throws MalformedSampleException {
        try {
            return decoder.check(field.data());
        } catch (MalformedImageException e) {
            throw malformed(sample, e);
        }
    }

    private Field decode(Sample sample, CheckedImage image, FieldKind kind, @Nullable Taken taken, byte[] spare)
            throws MalformedSampleException {
        try {
            if (taken == null) {
                Field stored = kind == FieldKind.MASK
                        ? MaskDecoder.decode(image)
                        : decoder.decode(image, Crop.whole(image.height(), image.width()), spare);
                return mode.upright ? PixelOps.upright(stored, image.header().orientation()) : stored;
            }
            // A reduced mask would mix class numbers, and nothing else than JPEG is reduced by its decoder.
            boolean reducible = mode.reduced && kind == FieldKind.IMAGE && image.reducible();
            int reduction = reducible ? PartialPicture.reduction(taken) : 1;
            int height = image.height();
            int width = image.width();
            Crop needed = PartialPicture.needed(
                    PartialPicture.reduced(taken.crop(), reduction, height, width),
                    PartialPicture.extent(height, reduction),
                    PartialPicture.extent(width, reduction));
            Field part = kind == FieldKind.MASK
                    ? PixelOps.crop(MaskDecoder.decode(image), needed, 0)
                    : decoder.decodeReduced(image, reduction, needed, spare);
            if (reduction == 1 && part.height() == height && part.width() == width) {
                return part;
            }
            return part.part(new Window(needed.top(), needed.left(), height, width, reduction));
        } catch (MalformedImageException e) {
            throw malformed(sample, e);
        }
    }

    private static MalformedSampleException malformed(Sample sample, MalformedImageException e) {
        MalformedSampleException malformed = new MalformedSampleException(sample.key(), e.offset(), e.reason());
        malformed.initCause(e);
        return malformed;
    }

    /** {@code decode}. */
    public static final class Factory implements TransformFactory {
        private static final Option<Boolean> EXIF = Option.of(
                        "exif", OptionType.BOOLEAN, "Whether to turn images upright by their EXIF orientation.")
                .orElse(false);

        private static final Option<Boolean> LOOK_AHEAD = Option.of(
                        "look_ahead",
                        OptionType.BOOLEAN,
                        "Whether to decode only what a crop directly behind will take; the pixels are the same.")
                .orElse(true);

        private static final Option<Boolean> REDUCED = Option.of(
                        "reduced",
                        OptionType.BOOLEAN,
                        "Fast and not exact: decodes JPEGs at 1/2, 1/4 or 1/8 where the resize directly behind still"
                                + " has pixels enough.")
                .orElse(false);

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
            return List.of(
                    DecodeOptions.MAX_PIXELS,
                    DecodeOptions.MAX_BYTES,
                    EXIF,
                    DecodeOptions.INTEGRITY,
                    LOOK_AHEAD,
                    REDUCED);
        }

        @Override
        public Transform create(OptionValues options) {
            Mode mode = new Mode(options.get(EXIF), options.get(LOOK_AHEAD), options.get(REDUCED));
            if (mode.reduced && !mode.lookAhead) {
                throw new IllegalArgumentException("reduced needs look_ahead: it goes by what the next stage takes");
            }
            return new Decode(DecodeOptions.decoder(options), mode, null);
        }
    }
}
