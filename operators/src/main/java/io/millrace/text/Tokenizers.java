package io.millrace.text;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Opens tokenizers and chooses their engine. Nothing is downloaded: a tokenizer is a file of the user, or a vocabulary that Millrace
 * has.
 */
public final class Tokenizers {
    private Tokenizers() {}

    /** Returns the names of the vocabularies that Millrace has. A name is never a path: {@code ./gpt2} is the file. */
    public static String[] names() {
        return TiktokenEncoding.names().toArray(String[]::new);
    }

    /**
     * Opens a tokenizer.
     *
     * @param spec the path of a {@code tokenizer.json}, of a folder with one, of a model of SentencePiece or of a file of ranks of
     *     tiktoken, or the name of a vocabulary that Millrace has, such as {@code gpt2}
     * @return the tokenizer, which the caller closes, for one thread
     * @throws TokenizerException when there is no such tokenizer, or when no engine reproduces it exactly
     */
    public static ChosenTokenizer open(String spec) throws TokenizerException {
        Optional<TiktokenEncoding> named = TiktokenEncoding.named(spec);
        if (named.isPresent()) {
            return ranked(spec, TiktokenFile.resource(named.get()), "Millrace has this vocabulary");
        }
        TokenizerFile file = TokenizerFile.read(path(spec));
        return switch (file.kind()) {
            case TOKENIZER_JSON -> json(spec, file);
            case TIKTOKEN -> {
                RankedTokens tokens = TiktokenFile.read(file.source(), file.bytes());
                yield ranked(
                        spec,
                        tokens,
                        "the file has the ranks of " + tokens.encoding().title());
            }
            case SENTENCEPIECE -> sentencePiece(spec, file);
        };
    }

    private static ChosenTokenizer ranked(String spec, RankedTokens tokens, String reason) {
        return new ChosenTokenizer(spec, new ByteLevelTokenizer(tokens.vocabulary()), reason);
    }

    private static Path path(String spec) throws TokenizerException {
        Path path;
        try {
            path = Path.of(spec);
        } catch (InvalidPathException e) {
            throw new TokenizerException("tokenizer '" + spec + "' is no path: " + e.getMessage(), e);
        }
        if (spec.isBlank() || !Files.exists(path)) {
            throw new TokenizerException("tokenizer '" + spec
                    + "': expected the path of a tokenizer.json, of a folder with one, of a"
                    + " *.model of SentencePiece or a *.tiktoken, or one of the names " + String.join(", ", names())
                    + "; found no such file"
                    + (spec.contains("://") ? " (addresses are not read: copy the file)" : ""));
        }
        return path;
    }

    private static ChosenTokenizer json(String spec, TokenizerFile file) throws TokenizerException {
        LibraryVocabulary vocabulary = LibraryVocabulary.read(file.source(), file.bytes());
        try {
            ByteLevelVocabulary own = ByteLevelFile.read(vocabulary, file.bytes());
            return new ChosenTokenizer(spec, new ByteLevelTokenizer(own), "the model is a byte-level BPE");
        } catch (ByteLevelVocabulary.OtherEngineException e) {
            LibraryTokenizer tokenizer = LibraryTokenizer.open(file.source(), vocabulary, file.bytes());
            return new ChosenTokenizer(
                    spec,
                    tokenizer,
                    vocabulary.model() == null ? "the file names no type of model" : String.valueOf(e.getMessage()));
        } catch (TokenizerException e) {
            throw e;
        } catch (IOException e) {
            throw new TokenizerException(file.source() + " cannot be read as JSON: " + e.getMessage(), e);
        }
    }

    private static ChosenTokenizer sentencePiece(String spec, TokenizerFile file) throws TokenizerException {
        SentencePieceModel model = SentencePieceModel.read(file.source(), file.bytes());
        byte[] json = SentencePieceConversion.tokenizerJson(file.source(), model);
        LibraryVocabulary vocabulary = LibraryVocabulary.read(file.source(), json);
        return new ChosenTokenizer(
                spec,
                LibraryTokenizer.open(file.source(), vocabulary, json),
                "the file is a SentencePiece model of " + model.algorithm());
    }
}
