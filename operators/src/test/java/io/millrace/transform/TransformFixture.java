package io.millrace.transform;

import io.millrace.image.ImageVectors;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.Map;
import java.util.ServiceLoader;

/** Makes transforms as a pipeline file would, by name, and applies them to one image. */
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

    /** The transform itself, for samples of another make. */
    static Transform create(String name, Map<String, ?> options) {
        TransformFactory factory = ServiceLoader.load(TransformFactory.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(candidate -> candidate.name().equals(name))
                .findFirst()
                .orElseThrow();
        OptionValues values = OptionValues.of(factory.options(), options);
        return new TransformSpec(name, values).create();
    }

    /** Applies it to a new sample with that image; each call is the next sample. */
    Field apply(Field image) throws Exception {
        Sample sample = new Sample(index, "photos/" + index + ".jpg", 0).put(Sample.IMAGE, image);
        transform.apply(sample, random.reset(0, index++));
        return sample.image();
    }

    String drawn() {
        return transform.drawn();
    }

    /** An image of noise. */
    static Field noise(int height, int width, int channels) {
        return ImageVectors.pixels(height, "noise", height, width, channels);
    }
}
