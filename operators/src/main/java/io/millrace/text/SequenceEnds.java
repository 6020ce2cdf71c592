package io.millrace.text;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * The tokens that are added before and after the ids of a text. Immutable.
 *
 * <p>Tested by {@code PackSequencesTest}.
 */
public final class SequenceEnds {
    /** A kind of added tokens. */
    public enum Kind {
        /** The token that begins a sequence, before the text. */
        BOS,
        /** The token that ends a sequence, after the text. */
        EOS,
        /** The tokens of the tokenizer's own template, before and after the text. */
        TEMPLATE
    }

    /** No added tokens. */
    public static final SequenceEnds NONE = new SequenceEnds(new int[0], new int[0]);

    private final int[] begin;
    private final int[] end;

    private SequenceEnds(int[] begin, int[] end) {
        this.begin = begin;
        this.end = end;
    }

    /**
     * Returns the tokens that a tokenizer adds.
     *
     * @param kinds the kinds of tokens to add
     * @param special the tokens that the tokenizer's files or the user name for {@code bos} and {@code eos}
     * @throws IllegalArgumentException when a token is not named, or the vocabulary lacks it; the message is a sentence
     */
    public static SequenceEnds of(List<Kind> kinds, SpecialTokens special, Tokenizer tokenizer) {
        if (kinds.contains(Kind.TEMPLATE)) {
            if (kinds.size() > 1) {
                throw new IllegalArgumentException(
                        "add: expected either template, or bos and eos, because a template has its own, found "
                                + words(kinds));
            }
            return new SequenceEnds(tokenizer.prefix(), tokenizer.suffix());
        }
        return new SequenceEnds(
                kinds.contains(Kind.BOS) ? id(Kind.BOS, special.bos(), tokenizer) : new int[0],
                kinds.contains(Kind.EOS) ? id(Kind.EOS, special.eos(), tokenizer) : new int[0]);
    }

    private static int[] id(Kind kind, Optional<String> token, Tokenizer tokenizer) {
        String name = word(kind);
        String text = token.orElseThrow(
                () -> new IllegalArgumentException("add: the tokenizer's files name no token for " + name
                        + ": expected the option " + name + " with its text, such as " + name + ": \"<|endoftext|>\""));
        OptionalInt id = tokenizer.id(text);
        return IntStream.of(id.orElseThrow(
                        () -> new IllegalArgumentException(name + ": the vocabulary has no token '" + text + "'")))
                .toArray();
    }

    private static String words(List<Kind> kinds) {
        return kinds.stream().map(SequenceEnds::word).toList().toString();
    }

    private static String word(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    /** Appends the tokens before a text. */
    public void begin(TokenIds ids) {
        for (int id : begin) {
            ids.add(id);
        }
    }

    /** Appends the tokens after a text. */
    public void end(TokenIds ids) {
        for (int id : end) {
            ids.add(id);
        }
    }
}
