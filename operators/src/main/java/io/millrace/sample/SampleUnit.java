package io.millrace.sample;

import java.io.Serializable;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The unit of a run's throughput. A field of images decides it, and without one the dataset's format, or that documents are packed.
 *
 * @param word the word for the samples, such as {@code images}
 * @param tokens the mean number of tokens of a sample; 0 for samples that are no packed sequences
 */
public record SampleUnit(String word, double tokens) implements Serializable {
    /** Samples of which each has an image. */
    public static final SampleUnit IMAGES = new SampleUnit("images", 0);

    /** Rows of tables without images. */
    public static final SampleUnit ROWS = new SampleUnit("rows", 0);

    /** All others, such as sounds, texts and arrays, and samples about which nothing is known. */
    public static final SampleUnit SAMPLES = new SampleUnit("samples", 0);

    private static final String SEQUENCES = "sequences";

    private static final List<SampleUnit> WITHOUT_TOKENS = List.of(IMAGES, ROWS, SAMPLES);

    /** Returns the unit of samples that are like one of them. */
    public static SampleUnit of(Sample sample, boolean isRow) {
        boolean image =
                sample.fieldNames().stream().anyMatch(name -> sample.field(name).kind() == FieldKind.IMAGE);
        return image ? IMAGES : isRow ? ROWS : SAMPLES;
    }

    /** Returns the unit of packed sequences with a mean number of tokens. */
    public static SampleUnit sequences(double tokens) {
        return new SampleUnit(SEQUENCES, tokens);
    }

    /** Returns the unit of a throughput, such as {@code images/s}. */
    public String perSecond() {
        return word + "/s";
    }

    /**
     * Returns a throughput: {@code 14,520 images/s}, or for sequences {@code 12.5 sequences/s, 102,400 tokens/s}.
     *
     * @param number the number of samples per second as it is printed
     */
    public String rate(String number, double samplesPerSecond) {
        return number + " " + perSecond()
                + (tokens > 0 ? String.format(Locale.ROOT, ", %,.0f tokens/s", samplesPerSecond * tokens) : "");
    }

    /** Returns a throughput in whole samples, or for sequences with one decimal, as {@link #rate(String, double)} does. */
    public String rate(double samplesPerSecond) {
        return rate(String.format(Locale.ROOT, tokens > 0 ? "%,.1f" : "%,.0f", samplesPerSecond), samplesPerSecond);
    }

    /** Returns a sentence on what the stages do with packed sequences, for lines below a table of stages; empty for other samples. */
    public Optional<String> readNote() {
        return tokens > 0
                ? Optional.of(
                        "read chooses the documents of each sequence, reads them, and counts the tokens of later ones that are not"
                                + " counted yet; pack_sequences joins their tokens")
                : Optional.empty();
    }

    /** Returns a text from which {@link #parse} makes the same unit. */
    public String text() {
        return tokens > 0 ? word + " " + tokens : word;
    }

    /** Returns the unit of a text; {@link #SAMPLES} for a text that {@link #text} does not return. */
    public static SampleUnit parse(String text) {
        String[] parts = text.toLowerCase(Locale.ROOT).split(" ", -1);
        if (parts.length == 2 && parts[0].equals(SEQUENCES)) {
            try {
                return sequences(Double.parseDouble(parts[1]));
            } catch (NumberFormatException e) {
                return SAMPLES; // of a job of another version
            }
        }
        return WITHOUT_TOKENS.stream()
                .filter(unit -> unit.word.equals(text.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElse(SAMPLES);
    }
}
