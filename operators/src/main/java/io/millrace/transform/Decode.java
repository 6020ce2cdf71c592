package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.Crop;
import io.millrace.image.EntryPoints;
import io.millrace.image.ImageDecoder;
import io.millrace.image.MaskDecoder;
import io.millrace.image.MissingKernelsException;
import io.millrace.image.PixelOps;
import io.millrace.image.Resampler;
import io.millrace.image.codec.CheckedImage;
import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.ImagePart;
import io.millrace.sample.Sample;
import io.millrace.sample.StageDone;
import io.millrace.transform.Cropping.NeededPart;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A transform that decodes images to uint8 RGB pixels [height, width, 3], masks to class numbers [height, width, 1] and
 * sounds to waveforms (see {@link EncodedSounds}). Fields that are already decoded pass unchanged.
 *
 * <p>Directly before a {@link Cropping} stage, only the part that this stage needs is decoded. This requires that all
 * pictures of the sample are still encoded and have one size, and that none has to be turned upright. If that stage resizes the
 * part and works in the same task, the decoder hands its rows directly to the resize. Its time counts as the time of that stage.
 * If nothing changes the resized picture any more before it is packed in the same task, the resize writes it to its row.
 */
final class Decode implements Transform {
    private static final byte[] NONE = {};

    private final ImageDecoder decoder;
    private final Mode mode;
    private final @Nullable LookAhead lookAhead;
    private final @Nullable StageChain rows;
    private final EncodedPictures pictures;

    /** The resize of the next stage; null before the first picture that is resized here. */
    private @Nullable Resampler resampler;

    /** The parts that the next stage needs of the current sample's pictures. */
    private final List<ImagePart> parts = new ArrayList<>();

    /** Whether one of these parts is not a whole image, or has been resized. */
    private boolean partial;

    /** The time of the resizes of the current sample. */
    private long resizeNanos;

    /** The pixels of the previous sample, which has left the chain by now: see {@link Transform}. */
    private byte[][] latest = {NONE};

    /**
     * The way to decode.
     *
     * @param upright whether pictures are turned upright by their EXIF orientation
     * @param lookAhead whether only the part that the next stage needs is decoded
     * @param reduced whether JPEGs are decoded at a fraction of their size where the next stage needs no more pixels
     */
    private record Mode(boolean upright, boolean lookAhead, boolean reduced) {}

    private Decode(ImageDecoder decoder, Mode mode, @Nullable LookAhead lookAhead, @Nullable StageChain rows) {
        this.decoder = decoder;
        this.mode = mode;
        this.lookAhead = lookAhead;
        this.rows = rows;
        this.pictures = new EncodedPictures(decoder);
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        resizeNanos = 0;
        boolean sounds = EncodedSounds.decode(sample);
        pictures.check(sample);
        boolean masks = InstanceMasks.decode(sample, decoder);
        if (!pictures.any()) {
            if (sounds || masks) {
                return;
            }
            throw MissingContent.nothingToDecode(sample);
        }
        boolean inPart = pictures.oneSize() && !pictures.othersDecoded() && !(mode.upright && pictures.turned(sample));
        NeededPart neededPart = lookAhead == null || !inPart
                ? null
                : lookAhead
                        .neededPart(
                                sample,
                                pictures.image(0).height(),
                                pictures.image(0).width())
                        .orElse(null);
        parts.clear();
        partial = false;
        for (int i = 0; i < pictures.count(); i++) {
            String name = pictures.name(i);
            FieldKind kind = sample.field(name).kind();
            Field decoded = decode(sample, i, kind, neededPart, spare(i));
            if (decoded.stored() == null) {
                latest[i] = decoded.data();
            }
            sample.put(name, decoded.as(kind));
        }
        if (partial) {
            ImagePart.put(sample, parts);
        }
        if (mode.upright && pictures.count() > 0 && Annotations.in(sample)) {
            InstanceMasks.require(sample, pictures.storedSize(), "decode");
            Annotations.move(sample, pictures.turn(sample));
            int orientation = pictures.orientation(sample);
            InstanceMasks.change(sample, mask -> PixelOps.upright(mask, orientation));
        }
    }

    @Override
    public @Nullable StageDone done() {
        return resizeNanos == 0 ? null : StageDone.before(StageDone.part(resizeNanos));
    }

    private byte[] spare(int ordinal) {
        if (ordinal == latest.length) {
            latest = Arrays.copyOf(latest, ordinal + 1);
            latest[ordinal] = NONE;
        }
        return latest[ordinal];
    }

    private Field decode(Sample sample, int ordinal, FieldKind kind, @Nullable NeededPart neededPart, byte[] spare)
            throws BadSampleException {
        CheckedImage image = pictures.image(ordinal);
        try {
            if (neededPart == null) {
                Field stored = kind == FieldKind.MASK
                        ? MaskDecoder.decode(image)
                        : decoder.decode(image, Crop.whole(image.height(), image.width()), spare);
                return mode.upright ? PixelOps.upright(stored, image.orientation()) : stored;
            }
            // Reducing a mask would mix class numbers. JPEG is the only format that its decoder can reduce.
            boolean reducible = mode.reduced && kind == FieldKind.IMAGE && image.reducible();
            int reduction = reducible ? PartialPicture.reduction(neededPart) : 1;
            int height = image.height();
            int width = image.width();
            Field resized =
                    reduction == 1 && kind == FieldKind.IMAGE ? resized(sample, ordinal, neededPart, spare) : null;
            if (resized != null) {
                return resized;
            }
            Crop needed = PartialPicture.needed(
                    PartialPicture.reduced(neededPart.crop(), reduction, height, width),
                    PartialPicture.extent(height, reduction),
                    PartialPicture.extent(width, reduction));
            Field part = kind == FieldKind.MASK
                    ? PixelOps.crop(MaskDecoder.decode(image), needed, 0)
                    : decoder.decodeReduced(image, reduction, needed, spare);
            addPart(image, needed, reduction);
            return part;
        } catch (MalformedImageException e) {
            throw EncodedPictures.malformed(sample, e);
        }
    }

    /** Returns the picture after the resize of the next stage, or null if the next stage or the decoder does not allow that. */
    private @Nullable Field resized(Sample sample, int ordinal, NeededPart neededPart, byte[] spare) {
        CheckedImage image = pictures.image(ordinal);
        Crop crop = neededPart.crop();
        if (lookAhead == null
                || !lookAhead.mayResize()
                || neededPart.interpolation().isEmpty()
                || !crop.within(image.height(), image.width())) {
            return null;
        }
        Resampler chosen = resampler;
        if (chosen == null) {
            // The next stage has the same interpolation for all samples.
            chosen = new Resampler(neededPart.interpolation().get());
            resampler = chosen;
        }
        Resampler.Result result = neededPart.result();
        Field row = rows == null ? null : rows.row(sample, pictures.name(ordinal), result.height(), result.width());
        ImageDecoder.Resized resized = decoder.decodeResized(image, crop, chosen, result, spare, row);
        if (resized == null) {
            return null;
        }
        resizeNanos += resized.resizeNanos();
        addPart(image, crop, 1);
        partial = true;
        return resized.picture();
    }

    private void addPart(CheckedImage image, Crop part, int reduction) {
        ImagePart added = new ImagePart(
                part.top(), part.left(), part.height(), part.width(), image.height(), image.width(), reduction);
        parts.add(added);
        partial |= !added.isWhole();
    }

    /** The factory of {@code decode}. */
    public static final class Factory implements TransformFactory {
        private static final Option<Long> MAX_PIXELS = Option.of(
                        "max_pixels",
                        OptionType.LONG.where(
                                value -> value >= 1 && value <= DecodeLimits.MOST_PIXELS,
                                "1 to " + DecodeLimits.MOST_PIXELS),
                        "The largest number of pixels that the header of an image may state; larger images are"
                                + " quarantined undecoded.")
                .orElse(DecodeLimits.DEFAULT.maxPixels());

        private static final Option<Long> MAX_BYTES = Option.of(
                        "max_bytes",
                        OptionType.LONG.where(value -> value >= 1, "at least 1"),
                        "The largest number of bytes of an encoded image; larger images are quarantined.")
                .orElse(DecodeLimits.DEFAULT.maxEncodedBytes());

        private static final Option<ImageIntegrity> INTEGRITY = Option.of(
                        "integrity",
                        OptionType.choice(ImageIntegrity.class),
                        "How closely to look for damage: the structure alone, or a JPEG's entropy-coded data too, which"
                                + " needs the native kernels and a CPU with AVX2. With entry_points this costs time in the first"
                                + " epoch only, otherwise up to half of the time of decoding.")
                .orElse(ImageIntegrity.STRUCTURE);

        private static final Option<EntryPoints> ENTRY_POINTS = Option.of(
                        "entry_points",
                        EntryPoints.TYPE,
                        "The memory, in each process, for places in JPEGs from which later epochs can begin to decode, so that"
                                + " they read only what a crop needs; the pixels are the same. The largest value of all stages"
                                + " in the process counts.")
                .orElse(EntryPoints.DEFAULT);

        private static final Option<Boolean> EXIF = Option.of(
                        "exif", OptionType.BOOLEAN, "Whether to turn images upright by their EXIF orientation.")
                .orElse(false);

        private static final Option<Boolean> LOOK_AHEAD = Option.of(
                        "look_ahead",
                        OptionType.BOOLEAN,
                        "Whether to decode only the part of an image that the next transform needs, if it is a crop; the pixels are the same.")
                .orElse(true);

        private static final Option<Boolean> REDUCED = Option.of(
                        "reduced",
                        OptionType.BOOLEAN,
                        "Fast and not exact: decodes JPEGs at 1/2, 1/4 or 1/8 of their size if this leaves enough"
                                + " pixels for the resize that directly follows. Photos differ by 3 levels on average,"
                                + " single values by up to 50.")
                .orElse(false);

        @Override
        public String name() {
            return "decode";
        }

        @Override
        public List<OtherName> alsoCalled() {
            return OtherName.of("decode", "DecodeImage", "Imread", "ImageDecoder", "ToImage", "PILToTensor", "Load");
        }

        @Override
        public String help() {
            return "Decodes JPEG, PNG, BMP, GIF, WebP, TIFF and PNM to RGB with Pillow's pixels, and WAV to float32 waveforms.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(MAX_PIXELS, MAX_BYTES, EXIF, INTEGRITY, LOOK_AHEAD, REDUCED, ENTRY_POINTS);
        }

        /** Checks without a decoder, which would load OpenCV: a pipeline file with a mistake is then reported much sooner. */
        @Override
        public void check(OptionValues options) {
            try {
                ImageDecoder.require(options.get(INTEGRITY));
            } catch (MissingKernelsException e) {
                throw new IllegalArgumentException(e.getMessage(), e);
            }
            limits(options);
            mode(options);
        }

        @Override
        public Transform create(OptionValues options) {
            return new Decode(decoder(options), mode(options), null, null);
        }

        @Override
        public Transform create(OptionValues options, TransformContext context) {
            Mode mode = mode(options);
            return new Decode(
                    decoder(options),
                    mode,
                    mode.lookAhead ? context.lookAhead().orElse(null) : null,
                    context.rowsOfNext());
        }

        private static Mode mode(OptionValues options) {
            Mode mode = new Mode(options.get(EXIF), options.get(LOOK_AHEAD), options.get(REDUCED));
            if (mode.reduced && !mode.lookAhead) {
                throw new IllegalArgumentException(
                        "reduced needs look_ahead: the reduction depends on the part that the next stage uses");
            }
            return mode;
        }

        private static ImageDecoder decoder(OptionValues options) {
            return new ImageDecoder(limits(options), options.get(INTEGRITY), options.get(ENTRY_POINTS));
        }

        private static DecodeLimits limits(OptionValues options) {
            return new DecodeLimits(options.get(MAX_PIXELS), options.get(MAX_BYTES));
        }

        @Override
        public OutputSize outputSize(OptionValues options) {
            return OutputSize.VARYING;
        }

        @Override
        public PictureWork pictureWork(OptionValues options) {
            return PictureWork.DECODE;
        }
    }
}
