package io.millrace.transform;

import io.millrace.dataset.MalformedSampleException;
import io.millrace.image.Crop;
import io.millrace.image.PixelOps;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.List;

/** Cuts out the centre; where the image is smaller, black is put around it. */
final class CenterCrop implements Transform {
    private final Size.Exact size;

    private CenterCrop(Size.Exact size) {
        this.size = size;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws MalformedSampleException {
        Field image = Images.pixels(sample, "CenterCrop");
        Crop crop = new Crop(
                begin(image.height(), size.height()), begin(image.width(), size.width()), size.height(), size.width());
        sample.put(Sample.IMAGE, PixelOps.crop(image, crop, 0));
    }

    /** Where the crop begins, negative for padding: torchvision rounds halves to even, and padding down. */
    private static int begin(int extent, int cropped) {
        return cropped > extent ? -((cropped - extent) / 2) : (int) Math.rint((extent - cropped) / 2.0);
    }

    /** {@code CenterCrop}. */
    public static final class Factory implements TransformFactory {
        private static final Option<Size> SIZE =
                Option.of("size", Size.OPTION, "The edge of a square in pixels, or [height, width].");

        @Override
        public String name() {
            return "CenterCrop";
        }

        @Override
        public String help() {
            return "Cuts out the centre, with black around smaller images.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(SIZE);
        }

        @Override
        public Transform create(OptionValues options) {
            return new CenterCrop(options.get(SIZE).square());
        }
    }
}
