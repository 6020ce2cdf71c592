package io.millrace.train.network;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import java.util.List;
import java.util.OptionalInt;

/**
 * The model {@code text_mlp}: it predicts the next token of a document from a fixed number of tokens before it, as the neural
 * probabilistic language model of Bengio et al. (2003) does, with ReLU in place of tanh and without the direct connections.
 */
public final class TextMlp implements ModelFactory {
    private static final Option<Integer> VOCABULARY = Option.of(
                    "vocabulary", POSITIVE, "The number of tokens of the tokenizer, with its added tokens.")
            .alsoCalled("vocab_size", "classes", "n_vocab");
    private static final Option<Integer> CONTEXT = Option.of(
                    "context",
                    OptionType.integers(1, 1024),
                    "The number of tokens from which the next one is predicted.")
            .orElse(8)
            .alsoCalled("context_length", "block_size", "window");
    private static final Option<Integer> EMBEDDING = Option.of(
                    "embedding", POSITIVE, "The number of values in the vector of a token.")
            .orElse(32)
            .alsoCalled("embedding_dim", "n_embd", "d_model");
    private static final Option<List<Integer>> HIDDEN = Option.of(
                    "hidden", OptionType.listOf(POSITIVE), "The widths of the hidden layers, from first to last.")
            .orElse(List.of(128));

    @Override
    public String name() {
        return "text_mlp";
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of("text_mlp", "nplm", "language_model", "lm");
    }

    @Override
    public String help() {
        return "A small language model for packed sequences: the vectors of the last tokens of a document, followed by fully"
                + " connected layers with ReLU between them, predict its next token.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(VOCABULARY, CONTEXT, EMBEDDING, HIDDEN);
    }

    @Override
    public OptionalInt classes(OptionValues options) {
        return OptionalInt.of(options.get(VOCABULARY));
    }

    @Override
    public Network create(ModelContext context, OptionValues options) {
        context.requireSequences();
        int vocabulary = options.get(VOCABULARY);
        int places = options.get(CONTEXT);
        int embedding = options.get(EMBEDDING);
        // One vector more than there are tokens, for the places before the beginning of a document.
        LayerNetwork.Builder layers = new LayerNetwork.Builder()
                .embedding("embedding", vocabulary + 1L, embedding)
                .flatten();
        layers.connected((long) places * embedding, options.get(HIDDEN), vocabulary);
        return new ContextNetwork(layers.build(vocabulary), context.sequences(), places);
    }
}
