package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.ColumnOrder;
import io.millrace.image.Crop;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import io.millrace.sample.StageDone;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A transform that resizes pictures to an exact size, or by their shorter edge with the aspect ratio kept. */
public final class Resize implements Cropping {
    private final ResizeRule rule;
    private final PictureResize resize;

    private Resize(ResizeRule rule, @Nullable Function<Sample, ColumnOrder> flip) {
        this.rule = rule;
        this.resize = new PictureResize("Resize", rule.interpolation(), flip);
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        ImageFields.Extent extent = resize.extent(sample);
        ResizeRule.Target target = rule.target(extent.height(), extent.width());
        if (!target.usable()) {
            throw ImageFields.badSample(
                    sample,
                    "Resize expected an image whose edges become 1 to " + Size.LARGEST + " pixels, found "
                            + extent.height() + "x" + extent.width() + ", which would become " + target.height() + "x"
                            + target.width());
        }
        resize.apply(sample, extent, part(sample, extent.height(), extent.width(), target));
    }

    @Override
    public @Nullable StageDone done() {
        return resize.done();
    }

    /** Returns the whole picture. {@code decode: {reduced: true}} uses the size of the result. */
    @Override
    public Optional<NeededPart> neededPart(Sample sample, int height, int width, SampleRandom random) {
        ResizeRule.Target target = rule.target(height, width);
        return target.usable() ? Optional.of(part(sample, height, width, target)) : Optional.empty();
    }

    private NeededPart part(Sample sample, int height, int width, ResizeRule.Target target) {
        return resize.part(sample, Crop.whole(height, width), target.height(), target.width());
    }

    /** The factory of {@code Resize}. */
    public static final class Factory implements TransformFactory {
        @Override
        public String name() {
            return "Resize";
        }

        @Override
        public String help() {
            return "Resizes to a shorter edge or to an exact size, with Pillow's pixels.";
        }

        @Override
        public List<Option<?>> options() {
            return ResizeRule.OPTIONS;
        }

        @Override
        public OutputSize outputSize(OptionValues options) {
            return ResizeRule.of(options).oneSize() ? OutputSize.FIXED : OutputSize.SAME;
        }

        @Override
        public PictureWork pictureWork(OptionValues options) {
            return PictureWork.RESIZE;
        }

        @Override
        public boolean movesPixels(OptionValues options) {
            return true;
        }

        @Override
        public Transform create(OptionValues options) {
            return new Resize(ResizeRule.of(options), null);
        }

        @Override
        public Transform create(OptionValues options, TransformContext context) {
            return new Resize(ResizeRule.of(options), context.flipAhead());
        }
    }
}
