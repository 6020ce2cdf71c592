package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.image.ColorOps;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.List;

/** A transform that changes brightness, contrast, saturation and hue by random factors, in random order. */
public final class ColorJitter implements Transform {
    private final ColorOps operations = new ColorOps();
    private final ImageFields images = new ImageFields("ColorJitter");
    private final JitterDraw draw;

    private ColorJitter(JitterDraw draw) {
        this.draw = draw;
    }

    @Override
    public void apply(Sample sample, SampleRandom random) throws BadSampleException {
        draw.draw(random);
        images.changeImages(sample, (image, spare) -> {
            for (int place = 0; place < JitterDraw.Property.COUNT; place++) {
                JitterDraw.Property property = draw.at(place);
                if (draw.changes(property)) {
                    change(image, property, draw.factor(property));
                }
            }
            return image;
        });
    }

    private void change(Field image, JitterDraw.Property property, double factor) {
        switch (property) {
            case BRIGHTNESS -> operations.brightness(image, factor);
            case CONTRAST -> operations.contrast(image, factor);
            case SATURATION -> operations.saturation(image, factor);
            case HUE -> operations.hue(image, factor);
        }
    }

    @Override
    public String drawn() {
        return draw.describe();
    }

    /** The factory of {@code ColorJitter}. */
    public static final class Factory implements TransformFactory {
        @Override
        public String name() {
            return "ColorJitter";
        }

        @Override
        public List<OtherName> alsoCalled() {
            return OtherName.of(
                    "ColorJitter",
                    "RandomBrightnessContrast",
                    "HueSaturationValue",
                    "RandomBrightness",
                    "RandomContrast");
        }

        @Override
        public String help() {
            return "Changes brightness, contrast, saturation and hue by random factors, in random order.";
        }

        @Override
        public List<Option<?>> options() {
            return JitterDraw.OPTIONS;
        }

        @Override
        public PictureWork pictureWork(OptionValues options) {
            return PictureWork.NEIGHBOURHOOD;
        }

        @Override
        public Transform create(OptionValues options) {
            return new ColorJitter(JitterDraw.of(options));
        }
    }
}
