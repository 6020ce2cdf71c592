package io.millrace.transform;

import io.millrace.image.ImageVectors;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.util.Map;
import java.util.ServiceLoader;

/** A transform that is created by name, as from a pipeline file, and applied to one image. */
final class TransformFixture {
    private final Transform transform;
    private final SampleRandom random = new SampleRandom(42, 3);
    private long index;

    private TransformFixture(Transform transform) {
        this.transform = transform;
    }

    static TransformFixture of(String name, Map<String, ?> options) {
        return new TransformFixture(create(name, options));
    }

    /** Creates the transform alone, for tests with other samples. */
    static Transform create(String name, Map<String, ?> options) {
        TransformFactory factory = ServiceLoader.load(TransformFactory.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(candidate -> candidate.name().equals(name))
                .findFirst()
                .orElseThrow();
        OptionValues values = OptionValues.of(factory.options(), options);
        return new TransformSpec(name, values).create();
    }

    /** Applies the transform to a new sample with an image. Each call is the next sample. */
    Field apply(Field image) throws Exception {
        Sample sample = new Sample(index, "photos/" + index + ".jpg", 0).put(Sample.IMAGE, image);
        transform.apply(sample, random.reset(0, index++));
        return sample.image();
    }

    /** Applies the transform to a new sample with several images and masks of one size. */
    Sample apply(Map<String, Field> fields) throws Exception {
        Sample sample = new Sample(index, "photos/" + index + ".jpg", 0);
        fields.forEach(sample::put);
        transform.apply(sample, random.reset(0, index++));
        return sample;
    }

    /** Returns the random numbers of the next sample, from their beginning. */
    SampleRandom nextNumbers() {
        return new SampleRandom(42, 3).reset(0, index);
    }

    String drawn() {
        return transform.drawn();
    }

    /** Returns a mask with class numbers of 0 to 20. */
    static Field mask(int height, int width) {
        Field mask = ImageVectors.pixels(height + 1, "noise", height, width, 1);
        for (int i = 0; i < mask.data().length; i++) {
            mask.data()[i] = (byte) ((mask.data()[i] & 255) % 21);
        }
        return mask.as(FieldKind.MASK);
    }

    /** Returns an image of noise. */
    static Field noise(int height, int width, int channels) {
        return ImageVectors.pixels(height, "noise", height, width, channels);
    }
}
