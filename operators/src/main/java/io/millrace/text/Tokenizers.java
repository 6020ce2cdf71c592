package io.millrace.text;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Opens tokenizers and chooses their engine. Nothing is downloaded: a tokenizer is a file of the user, or a vocabulary that Millrace
 * has.
 */
public final class Tokenizers {
    private static final SharedVocabularies SHARED = new SharedVocabularies();

    /** The files that the library has loaded, although Millrace's own engine makes their ids. */
    private static final SharedVocabularies LIBRARY = new SharedVocabularies();

    private Tokenizers() {}

    /** Returns the names of the vocabularies that Millrace has. A name is never a path: {@code ./gpt2} is the file. */
    public static String[] names() {
        return TiktokenEncoding.names().toArray(String[]::new);
    }

    /**
     * Opens a tokenizer. The tokenizers of a file or a name share one vocabulary in memory, which is loaded once in a process.
     *
     * @param spec the path of a {@code tokenizer.json} or {@code tekken.json}, of a folder with one, of a model of SentencePiece or of a
     *     file of ranks of tiktoken, or the name of a vocabulary that Millrace has, such as {@code gpt2}
     * @return the tokenizer, which the caller closes, for one thread
     * @throws TokenizerException when there is no such tokenizer, or when no engine reproduces it exactly
     */
    public static ChosenTokenizer open(String spec) throws TokenizerException {
        Optional<TiktokenEncoding> named = TiktokenEncoding.named(spec);
        return named.isPresent()
                ? SHARED.open(
                        spec,
                        named.get(),
                        () -> ranked(TiktokenFile.resource(named.get()), "Millrace has this vocabulary"))
                : SHARED.open(spec, TokenizerFile.locate(path(spec)), Tokenizers::load);
    }

    /**
     * Opens a {@code tokenizer.json} with Hugging Face's library, whatever its model is. The caller closes the tokenizer, for one thread.
     *
     * @throws TokenizerException when it cannot be read, or the library refuses it or is missing
     */
    static Tokenizer library(Path file) throws TokenizerException {
        return LIBRARY.open(file.toString(), file, path -> {
                    TokenizerFile read = TokenizerFile.read(path);
                    TokenizerJson json = TokenizerJson.read(read.source(), read.bytes());
                    return new SharedVocabularies.Choice(
                            LibraryModel.load(read.source(), json.vocabulary(), read.bytes()), "the library is needed");
                })
                .tokenizer();
    }

    /** Loads a vocabulary that nothing shares. */
    static SharedVocabularies.Choice load(Path path) throws TokenizerException {
        TokenizerFile file = TokenizerFile.read(path);
        return switch (file.kind()) {
            case TOKENIZER_JSON -> json(path, file);
            case TIKTOKEN -> ranked(TiktokenFile.read(file.source(), file.bytes()));
            case TEKKEN -> ranked(TekkenFile.read(file.source(), file.bytes()));
            case SENTENCEPIECE -> sentencePiece(file);
        };
    }

    private static SharedVocabularies.Choice ranked(RankedTokens tokens) {
        return ranked(tokens, "the file has the ranks of " + tokens.title());
    }

    private static SharedVocabularies.Choice ranked(RankedTokens tokens, String reason) {
        return new SharedVocabularies.Choice(tokens.vocabulary(), reason);
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
                    + "': expected the path of a tokenizer.json or tekken.json, of a folder with one, of a"
                    + " *.model of SentencePiece or a *.tiktoken, or one of the names " + String.join(", ", names())
                    + "; found no such file"
                    + (spec.contains("://") ? " (addresses are not read: copy the file)" : ""));
        }
        return path;
    }

    private static SharedVocabularies.Choice json(Path path, TokenizerFile file) throws TokenizerException {
        TokenizerJson json = TokenizerJson.read(file.source(), file.bytes());
        try {
            return new SharedVocabularies.Choice(ByteLevelFile.read(path, json), "the model is a byte-level BPE");
        } catch (ByteLevelVocabulary.OtherEngineException e) {
            return new SharedVocabularies.Choice(
                    LibraryModel.load(file.source(), json.vocabulary(), file.bytes()), String.valueOf(e.getMessage()));
        }
    }

    private static SharedVocabularies.Choice sentencePiece(TokenizerFile file) throws TokenizerException {
        SentencePieceModel model = SentencePieceModel.read(file.source(), file.bytes());
        byte[] json = SentencePieceConversion.tokenizerJson(file.source(), model);
        LibraryVocabulary vocabulary = TokenizerJson.read(file.source(), json).vocabulary();
        return new SharedVocabularies.Choice(
                LibraryModel.load(file.source(), vocabulary, json),
                "the file is a SentencePiece model of " + model.algorithm());
    }
}
