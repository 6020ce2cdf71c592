package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.Crop;
import io.millrace.image.PixelOps;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.Optional;

/** A transform that cuts out the centre. Where the image is smaller, the rest becomes black. */
final class CenterCrop implements Cropping {
    private final ImageFields pictures = new ImageFields("CenterCrop");
    private final Size.Exact size;

    private CenterCrop(Size.Exact size) {
        this.size = size;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        ImageFields.Extent extent = pictures.extent(sample);
        Crop centre = crop(extent.height(), extent.width());
        pictures.changeCrop(
                sample, NeededPart.asIs(centre), (picture, crop, spare) -> PixelOps.crop(picture, crop, 0, spare));
        Annotations.move(sample, Movement.crop(extent, centre));
    }

    @Override
    public Optional<NeededPart> neededPart(Sample sample, int height, int width, SampleRandom random) {
        return Optional.of(NeededPart.asIs(crop(height, width)));
    }

    private Crop crop(int height, int width) {
        return new Crop(begin(height, size.height()), begin(width, size.width()), size.height(), size.width());
    }

    /**
     * Returns the first row or column of the crop, negative for padding. As in torchvision, crops round halves to even
     * and padding rounds down.
     */
    private static int begin(int extent, int cropped) {
        return cropped > extent ? -((cropped - extent) / 2) : (int) Math.rint((extent - cropped) / 2.0);
    }

    /** The factory of {@code CenterCrop}. */
    public static final class Factory implements TransformFactory {
        private static final Option<Size> SIZE =
                Option.of("size", Size.OPTION, "The edge of a square in pixels, or [height, width].");

        @Override
        public String name() {
            return "CenterCrop";
        }

        @Override
        public String help() {
            return "Cuts out the centre, and pads smaller images with black.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(SIZE);
        }

        @Override
        public OutputSize outputSize(OptionValues options) {
            return OutputSize.FIXED;
        }

        @Override
        public PictureWork pictureWork(OptionValues options) {
            return PictureWork.CROP;
        }

        @Override
        public boolean movesPixels(OptionValues options) {
            return true;
        }

        @Override
        public Transform create(OptionValues options) {
            return new CenterCrop(options.get(SIZE).square());
        }
    }
}
