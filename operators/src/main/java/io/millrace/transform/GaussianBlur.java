package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.GaussianBlurOps;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.Locale;

/** A transform that blurs with a Gaussian kernel of fixed size and random standard deviation. */
final class GaussianBlur implements Transform {
    private final GaussianBlurOps operations = new GaussianBlurOps();
    private final ImageFields images = new ImageFields("GaussianBlur");
    private final GaussianBlurOps.Kernel kernel;
    private final DrawnRange sigmas;
    private double sigma;

    private GaussianBlur(GaussianBlurOps.Kernel kernel, DrawnRange sigmas) {
        this.kernel = kernel;
        this.sigmas = sigmas;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        sigma = random.nextDouble(sigmas.from(), sigmas.to());
        images.changeImages(sample, (image, spare) -> {
            if (!kernel.fits(image.height(), image.width())) {
                throw ImageFields.badSample(
                        sample,
                        "GaussianBlur expected an image of at least " + (kernel.height() / 2 + 1) + "x"
                                + (kernel.width() / 2 + 1) + " for its kernel, found " + image.height() + "x"
                                + image.width());
            }
            operations.blur(image, kernel, sigma);
            return image;
        });
    }

    @Override
    public String drawn() {
        return String.format(Locale.ROOT, "sigma %.3f", sigma);
    }

    /** The factory of {@code GaussianBlur}. */
    public static final class Factory implements TransformFactory {
        private static final int LARGEST = 1023;

        private static final Option<GaussianBlurOps.Kernel> KERNEL = Option.of(
                "kernel_size",
                OptionType.of("integer or [x, y]", Factory::kernel),
                "The size of the kernel in pixels, odd: [width, height], or one number for both.");

        private static final Option<DrawnRange> SIGMA = Option.of(
                        "sigma",
                        OptionType.of("number or [least, most]", Factory::sigma),
                        "The kernel's standard deviation in pixels: a number, or a range to draw from.")
                .orElse(new DrawnRange(0.1, 2));

        @Override
        public String name() {
            return "GaussianBlur";
        }

        @Override
        public List<OtherName> alsoCalled() {
            return OtherName.of("GaussianBlur", "Blur");
        }

        @Override
        public String help() {
            return "Blurs images with a Gaussian kernel of random width.";
        }

        @Override
        public List<Option<?>> options() {
            return List.of(KERNEL, SIGMA);
        }

        @Override
        public PictureWork pictureWork(OptionValues options) {
            return PictureWork.NEIGHBOURHOOD;
        }

        @Override
        public Transform create(OptionValues options) {
            return new GaussianBlur(options.get(KERNEL), options.get(SIGMA));
        }

        private static GaussianBlurOps.Kernel kernel(Object raw) {
            List<?> sizes = raw instanceof List<?> list ? list : List.of(raw);
            if (!sizes.isEmpty() && sizes.size() <= 2 && sizes.stream().allMatch(Factory::odd)) {
                return new GaussianBlurOps.Kernel(
                        ((Long) sizes.get(0)).intValue(), ((Long) sizes.get(sizes.size() - 1)).intValue());
            }
            throw OptionType.expected("one or two odd integers of 1 to " + LARGEST, raw);
        }

        private static boolean odd(Object size) {
            return size instanceof Long pixels && pixels >= 1 && pixels <= LARGEST && pixels % 2 == 1;
        }

        private static DrawnRange sigma(Object raw) {
            List<?> ends = raw instanceof List<?> list ? list : List.of(raw);
            if (!ends.isEmpty()
                    && ends.size() <= 2
                    && ends.get(0) instanceof Number from
                    && ends.get(ends.size() - 1) instanceof Number to
                    && from.doubleValue() > 0
                    && from.doubleValue() <= to.doubleValue()
                    && Double.isFinite(to.doubleValue())) {
                return new DrawnRange(from.doubleValue(), to.doubleValue());
            }
            throw OptionType.expected("a number above 0, or [least, most], two such numbers in order", raw);
        }
    }
}
