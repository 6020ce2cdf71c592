package io.millrace.transform;

import io.millrace.dataset.BadSampleException;
import io.millrace.sample.DType;
import io.millrace.sample.Expected;
import io.millrace.sample.Field;
import io.millrace.sample.FirstBytes;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The reports on samples without the picture or the sound that a stage needs. The sample is bad if one of its fields could
 * hold a picture or a sound in other samples. Otherwise the pipeline is wrong, because no sample can have one.
 */
final class MissingContent {
    private static final String AN_IMAGE = "an image (JPEG, PNG, BMP, GIF, WebP, TIFF or PNM)";
    private static final String A_SOUND = "a sound (WAV)";

    private MissingContent() {}

    /** Returns the exception for bytes that begin unlike the content that their field should have. */
    static BadSampleException unlike(Sample sample, String name, Expected expected) {
        return unlike(sample, List.of(name), expected);
    }

    private static BadSampleException unlike(Sample sample, List<String> names, Expected expected) {
        String content =
                switch (expected) {
                    case IMAGE -> AN_IMAGE;
                    case SOUND -> A_SOUND;
                    case ANY -> AN_IMAGE + " or " + A_SOUND;
                };
        String fields = names.stream().map(name -> "'" + name + "'").collect(Collectors.joining(" or "));
        String found = names.stream()
                .map(name -> FirstBytes.describe(sample.field(name).data()))
                .collect(Collectors.joining(" and "));
        return new BadSampleException(sample.key(), 0, "expected " + content + " as " + fields + ", found " + found);
    }

    /**
     * Returns the exception for a sample in which {@code decode} finds neither a picture nor a sound.
     *
     * @throws IllegalStateException when no field can hold one: the pipeline is wrong, not the sample
     */
    static BadSampleException nothingToDecode(Sample sample) {
        List<String> unrecognized = sample.fieldNames().stream()
                .filter(name -> sample.field(name).expected() != null)
                .toList();
        return unrecognized.isEmpty() ? noPicture(sample, "decode") : unlike(sample, unrecognized, Expected.ANY);
    }

    /**
     * Returns the exception for a sample without a picture.
     *
     * @throws IllegalStateException when no field can hold one: the pipeline is wrong, not the sample
     */
    static BadSampleException noPicture(Sample sample, String stage) {
        Field image = sample.fieldNames().contains(Sample.IMAGE) ? sample.field(Sample.IMAGE) : null;
        if (image == null || isText(image)) {
            throw new IllegalStateException(
                    stage + " works on images, but sample " + sample.key() + " has none, only " + sample.fieldNames());
        }
        return image.expected() == null
                ? ImageFields.badSample(
                        sample,
                        stage + " expected a uint8 image [height, width, 1 or 3] in '" + Sample.IMAGE + "', found "
                                + image)
                : unlike(sample, Sample.IMAGE, Expected.IMAGE);
    }

    /** Returns whether a field holds text in every sample, which no stage can take for a picture. */
    private static boolean isText(Field field) {
        return field.expected() == null
                && field.kind().varies()
                && field.dtype() == DType.UINT8
                && field.shape().length == 1;
    }
}
