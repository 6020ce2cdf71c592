package io.millrace.transform.text;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.sequence.PackPolicy;
import io.millrace.sequence.PackRule;
import io.millrace.transform.TransformSpec;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The options of {@code pack_sequences} that decide the packs when a run is planned.
 *
 * <p>Tested by {@code PackSequencesTest}.
 *
 * @param length the number of tokens of a sequence
 * @param policy how the documents of a window become packs; empty when it is chosen from their lengths
 * @param window the number of documents of a window; empty when it is chosen from their lengths
 * @param splitLong whether a document that is longer than a sequence is split, so that all of its tokens are used
 * @param folder the folder that keeps the lengths of documents, or {@link #AUTO}
 */
public record PackOptions(
        int length, Optional<PackPolicy> policy, OptionalInt window, boolean splitLong, String folder) {
    /** The value of {@link #folder} for a folder beside the dataset, or where it cannot be written, in the user's cache folder. */
    public static final String AUTO = "auto";

    static final Option<Integer> LENGTH = Option.of("length", OptionType.INTEGER, "The number of tokens of a sequence.")
            .alsoCalled("max_length", "seq_length", "seq_len", "sequence_length", "max_seq_length", "block_size");

    private static final OptionType<PackPolicy> POLICIES = OptionType.choice(PackPolicy.class);

    private static final Option<Optional<PackPolicy>> POLICY = Option.of(
                    "policy",
                    OptionType.of(AUTO + " | " + POLICIES.name(), PackOptions::policy),
                    "How documents become sequences: best_fit puts each document into the fullest sequence with room for it,"
                            + " best_fit_decreasing the longest documents first, concat cuts the tokens of all documents into"
                            + " sequences, none makes a sequence of each document; auto, the default, is best_fit, or best_fit_decreasing"
                            + " where it fills sequences better.")
            .optional()
            .alsoCalled("packing_strategy", "strategy");

    private static final Option<OptionalInt> WINDOW = Option.of(
                    "window",
                    OptionType.of("auto or an integer", PackOptions::window),
                    "The number of documents that are packed together; auto, the default, chooses it from their lengths.")
            .optional();

    private static final Option<Boolean> SPLIT_LONG = Option.of(
                    "split_long",
                    OptionType.BOOLEAN,
                    "Splits documents that are longer than a sequence. With false they are bad samples; the option max_length of"
                            + " tokenize cuts them instead.")
            .orElse(true);

    static final Option<Integer> PAD = Option.of(
                    "pad", OptionType.INTEGER, "The id of the tokens after the last document of a sequence.")
            .orElse(0)
            .alsoCalled("pad_token_id", "pad_id");

    static final Option<Boolean> DOCUMENTS = Option.of(
                    "documents",
                    OptionType.BOOLEAN,
                    "Adds the field documents: the index of each document of a sequence in its dataset.")
            .orElse(false);

    private static final Option<String> FOLDER = Option.of(
                    "lengths",
                    OptionType.TEXT.ofPaths(AUTO),
                    "The folder that keeps the number of tokens of each document, which are counted once. auto is .millrace"
                            + " beside the dataset if that folder can be written, and otherwise the user's cache folder"
                            + " ($XDG_CACHE_HOME/millrace/index or ~/.cache/millrace/index). All machines of a cluster need"
                            + " the same folder.")
            .orElse(AUTO);

    static final List<Option<?>> ALL = List.of(LENGTH, POLICY, WINDOW, SPLIT_LONG, PAD, DOCUMENTS, FOLDER);

    /**
     * Returns the options of the transform {@code pack_sequences} of a pipeline.
     *
     * @throws IllegalArgumentException when a value is out of its range; the message names the option
     */
    static PackOptions of(OptionValues options) {
        int length = options.get(LENGTH);
        if (length < 1 || length > PackRule.MOST_LENGTH) {
            throw new IllegalArgumentException(
                    "length: expected 1 to " + PackRule.MOST_LENGTH + " tokens, found " + length);
        }
        return new PackOptions(
                length,
                options.find(POLICY).flatMap(policy -> policy),
                options.find(WINDOW).orElse(OptionalInt.empty()),
                options.get(SPLIT_LONG),
                options.get(FOLDER));
    }

    /**
     * Returns the options with which a transform packs documents.
     *
     * @param transform a transform whose {@link #isPacking} is true
     */
    public static PackOptions of(TransformSpec transform) {
        return of(transform.options());
    }

    /** Returns whether a transform packs documents. */
    public static boolean isPacking(TransformSpec transform) {
        return isPacking(transform.name());
    }

    /** Returns whether the transform of a name packs documents. */
    public static boolean isPacking(String transform) {
        return transform.equals(PackSequences.NAME);
    }

    private static Optional<PackPolicy> policy(Object raw) {
        return raw.equals(AUTO) ? Optional.empty() : Optional.of(POLICIES.parse(raw));
    }

    private static OptionalInt window(Object raw) {
        if (raw.equals(AUTO)) {
            return OptionalInt.empty();
        }
        if (raw instanceof Number number && number.longValue() >= 1 && number.longValue() <= PackRule.MOST_WINDOW) {
            return OptionalInt.of(number.intValue());
        }
        throw OptionType.expected("auto, or 1 to " + PackRule.MOST_WINDOW + " documents", raw);
    }
}
