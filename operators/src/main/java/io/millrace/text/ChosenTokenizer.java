package io.millrace.text;

/**
 * A tokenizer and the reason for its engine, for the first lines of a run.
 *
 * @param spec the tokenizer as the user names it
 * @param tokenizer the tokenizer; the owner of this record closes it
 * @param reason why the engine was chosen, as a clause such as "the model is Unigram"
 */
public record ChosenTokenizer(String spec, Tokenizer tokenizer, String reason) implements AutoCloseable {
    /** Returns the engine and the reason, such as "tokenizer t5: engine tokenizers, because the model is Unigram". */
    public String describe() {
        return "tokenizer " + spec + ": engine " + tokenizer.engine() + ", because " + reason;
    }

    @Override
    public void close() {
        tokenizer.close();
    }
}
