package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.Crop;
import io.millrace.image.Interpolation;
import io.millrace.image.Resampler;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.Optional;

/** A transform that resizes pictures to an exact size, or by their shorter edge with the aspect ratio kept. */
final class Resize implements Cropping {
    private final ImageFields pictures = new ImageFields("Resize");
    private final Resampler nearest = new Resampler(Interpolation.NEAREST);
    private final ResizeRule rule;
    private final Resampler resampler;

    private Resize(ResizeRule rule) {
        this.rule = rule;
        this.resampler = new Resampler(rule.interpolation());
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        ImageFields.Extent extent = pictures.extent(sample);
        ResizeRule.Target target = rule.target(extent.height(), extent.width());
        if (!target.usable()) {
            throw ImageFields.badSample(
                    sample,
                    "Resize expected an image whose edges become 1 to " + Size.LARGEST + " pixels, found "
                            + extent.height() + "x" + extent.width() + ", which would become " + target.height() + "x"
                            + target.width());
        }
        pictures.changeCrop(sample, part(extent.height(), extent.width(), target), (picture, crop, spare) -> {
            Resampler kind = picture.kind() == FieldKind.MASK ? nearest : resampler;
            return kind.resize(picture, crop, target.height(), target.width(), spare);
        });
    }

    /** Returns the whole picture. {@code decode: {reduced: true}} uses the size of the result. */
    @Override
    public Optional<NeededPart> neededPart(int height, int width, SampleRandom random) {
        ResizeRule.Target target = rule.target(height, width);
        return target.usable() ? Optional.of(part(height, width, target)) : Optional.empty();
    }

    private NeededPart part(int height, int width, ResizeRule.Target target) {
        return new NeededPart(
                Crop.whole(height, width), target.height(), target.width(), Optional.of(rule.interpolation()));
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
        public Transform create(OptionValues options) {
            return new Resize(ResizeRule.of(options));
        }
    }
}
