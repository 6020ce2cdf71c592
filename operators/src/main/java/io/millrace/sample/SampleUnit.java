package io.millrace.sample;

import java.util.Locale;

/** The word for samples in the throughput of a run. A field of images decides it, and without one the dataset's format. */
public enum SampleUnit {
    /** Samples of which each has an image. */
    IMAGES,
    /** Rows of tables without images. */
    ROWS,
    /** All others, such as sounds, texts and arrays, and samples about which nothing is known. */
    SAMPLES;

    /** Returns the unit of samples that are like one of them. */
    public static SampleUnit of(Sample sample, boolean isRow) {
        boolean image =
                sample.fieldNames().stream().anyMatch(name -> sample.field(name).kind() == FieldKind.IMAGE);
        return image ? IMAGES : isRow ? ROWS : SAMPLES;
    }

    /** Returns the word, such as {@code images}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the unit of a throughput, such as {@code images/s}. */
    public String perSecond() {
        return word() + "/s";
    }
}
