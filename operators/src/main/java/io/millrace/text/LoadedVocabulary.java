package io.millrace.text;

import java.util.Optional;

/** A vocabulary in memory, which the tokenizers of several threads share. Any thread may call it. */
interface LoadedVocabulary {
    /** Returns a tokenizer for one thread, which the caller closes; empty when the vocabulary was freed with its last tokenizer. */
    Optional<Tokenizer> tokenizer();
}
