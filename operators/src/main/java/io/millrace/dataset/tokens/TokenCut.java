package io.millrace.dataset.tokens;

import io.millrace.dataset.DatasetException;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import java.util.Arrays;
import java.util.List;

/**
 * The rule that divides an array of ids into documents. Tested by {@code TokensFormatTest}.
 *
 * @param value the id that ends or begins a document, or the number of tokens of a piece
 */
record TokenCut(Kind kind, int value) {
    /** What ends a document. */
    enum Kind {
        /** A document ends with this id, which belongs to it. */
        END,
        /** A document begins with this id, which belongs to it. */
        START,
        /** Pieces of one length, which ignore documents. */
        LENGTH
    }

    private static final OptionType<Integer> ID = OptionType.INTEGER.where(value -> value >= 0, "0 or more");

    static final Option<Integer> END = Option.of(
                    "document_end",
                    ID,
                    "The id with which each document ends, such as 50256 for files of nanoGPT. It stays in the document.")
            .optional()
            .alsoCalled("eos", "eod", "eot", "eos_token_id", "end_of_document")
            .decides(Identity.BATCHES);

    static final Option<Integer> START = Option.of(
                    "document_start",
                    ID,
                    "The id with which each document begins, such as 50256 for files of llm.c and build-nanogpt. It stays in"
                            + " the document.")
            .optional()
            .alsoCalled("bos", "bos_token_id")
            .decides(Identity.BATCHES);

    static final Option<Integer> LENGTH = Option.of(
                    "length",
                    OptionType.INTEGER.where(value -> value >= 1, "at least 1"),
                    "Cuts the ids of each file into pieces of so many tokens, whatever documents they belong to. The last piece"
                            + " of a file may be shorter.")
            .optional()
            .alsoCalled("block_size", "seq_len", "seq_length")
            .decides(Identity.BATCHES);

    /**
     * Returns the rule that the options set.
     *
     * @throws DatasetException when not exactly one is set
     */
    static TokenCut of(OptionValues options) throws DatasetException {
        List<TokenCut> set = Arrays.stream(Kind.values())
                .flatMap(kind -> options.find(option(kind)).map(value -> new TokenCut(kind, value)).stream())
                .toList();
        if (set.size() != 1) {
            throw new DatasetException(
                    "a dataset of tokens needs one of document_end, document_start and length, which say"
                            + " where a document ends; found "
                            + (set.isEmpty()
                                    ? "none of them"
                                    : set.stream()
                                            .map(cut -> option(cut.kind()).key())
                                            .toList()));
        }
        return set.get(0);
    }

    private static Option<Integer> option(Kind kind) {
        return switch (kind) {
            case END -> END;
            case START -> START;
            case LENGTH -> LENGTH;
        };
    }
}
