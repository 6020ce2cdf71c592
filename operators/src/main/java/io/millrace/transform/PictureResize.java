package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.ColumnOrder;
import io.millrace.image.Crop;
import io.millrace.image.Interpolation;
import io.millrace.image.Resampler;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.sample.StageDone;
import io.millrace.transform.Cropping.NeededPart;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The resize of one rectangle of all pictures of a sample. If a transform that mirrors columns follows in the same task, the resize does
 * its work. Serves one thread.
 */
final class PictureResize {
    private final Interpolation interpolation;
    private final @Nullable Function<Sample, ColumnOrder> flip;
    private final @Nullable StageDone done;
    private final Resampler images;
    private final Resampler masks = new Resampler(Interpolation.NEAREST);
    private final ImageFields pictures;

    /**
     * Creates the resize of one transform.
     *
     * @param transform the name of the transform, for messages
     * @param interpolation the interpolation of images; masks keep their class numbers
     * @param flip the order of a sample's columns after the flip that directly follows in the same task; null when none does
     */
    PictureResize(String transform, Interpolation interpolation, @Nullable Function<Sample, ColumnOrder> flip) {
        this.interpolation = interpolation;
        this.flip = flip;
        this.done = flip == null ? null : StageDone.before(StageDone.atNoCost());
        this.images = new Resampler(interpolation);
        this.pictures = new ImageFields(transform);
    }

    /** Returns the size that all pictures of a sample have, see {@link ImageFields#extent}. */
    ImageFields.Extent extent(Sample sample) throws BadSampleException {
        return pictures.extent(sample);
    }

    /**
     * Returns the part of a sample's pictures that {@link #apply} needs.
     *
     * @param height the rows of the result
     * @param width the columns of the result
     */
    NeededPart part(Sample sample, Crop crop, int height, int width) {
        ColumnOrder columns = flip == null ? ColumnOrder.AS_STORED : flip.apply(sample);
        return new NeededPart(crop, new Resampler.Result(height, width, columns), Optional.of(interpolation));
    }

    /** Returns the work of the resize and the flip, see {@link Transform#done}; null when there is no flip. */
    @Nullable
    StageDone done() {
        return done;
    }

    /** Replaces the pictures of a sample, whose size is {@code extent}, by their resized parts. */
    void apply(Sample sample, ImageFields.Extent extent, NeededPart part) throws BadSampleException {
        pictures.changeCrop(sample, part, (picture, crop, spare) -> {
            Resampler kind = picture.kind() == FieldKind.MASK ? masks : images;
            return kind.resize(picture, crop, part.result(), spare);
        });
        Resampler.Result result = part.result();
        Annotations.move(sample, Movement.resizedCrop(extent, part.crop(), result.height(), result.width()));
        if (result.columns() == ColumnOrder.MIRRORED) {
            Annotations.move(sample, Movement.mirrorColumns(new ImageFields.Extent(result.height(), result.width())));
        }
    }
}
