package io.millrace.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The texts of the tokens that begin and end a sequence, as the files beside a {@code tokenizer.json} name them.
 *
 * <p>Tested by {@code PackSequencesTest}.
 *
 * @param bos the token that begins a sequence; empty when none is named
 * @param eos the token that ends a sequence; empty when none is named
 */
public record SpecialTokens(Optional<String> bos, Optional<String> eos) {
    /** No token is named. */
    public static final SpecialTokens NONE = new SpecialTokens(Optional.empty(), Optional.empty());

    /** The files that name the tokens, in the order in which Hugging Face's transformers writes them. */
    private static final List<String> FILES = List.of("tokenizer_config.json", "special_tokens_map.json");

    /** Those of all files of Mistral, which name no others. */
    private static final SpecialTokens TEKKEN = new SpecialTokens(Optional.of("<s>"), Optional.of("</s>"));

    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * Returns the tokens of a tokenizer.
     *
     * @param tokenizer the path of its file or folder, or the name of a vocabulary that Millrace has, whose texts end with {@code
     *     <|endoftext|>}
     * @throws IOException when a file that names the tokens cannot be read; the message names it
     */
    public static SpecialTokens of(String tokenizer) throws IOException {
        if (TiktokenEncoding.named(tokenizer).isPresent()) {
            return new SpecialTokens(Optional.empty(), Optional.of("<|endoftext|>"));
        }
        Path path = Path.of(tokenizer);
        if (!Files.exists(path)) {
            return NONE;
        }
        Path folder = Files.isDirectory(path) ? path : path.toAbsolutePath().getParent();
        SpecialTokens found = NONE;
        for (String name : FILES) {
            Path file = folder == null ? path.resolveSibling(name) : folder.resolve(name);
            if (Files.exists(file)) {
                found = found.or(read(file));
            }
        }
        return found.or(isTekken(path) ? TEKKEN : NONE);
    }

    /** Returns whether a path names a {@code tekken.json}, as mistral-common tells it by its name, or a folder with no other tokenizer. */
    private static boolean isTekken(Path path) {
        try {
            String name = String.valueOf(TokenizerFile.locate(path).getFileName());
            return name.contains("tekken") && name.endsWith(".json");
        } catch (TokenizerException e) { // the folder has no tokenizer, which opening it reports
            return false;
        }
    }

    private static SpecialTokens read(Path file) throws IOException {
        JsonNode root;
        try {
            root = JSON.readTree(file.toFile());
        } catch (IOException e) {
            throw new IOException(file + " cannot be read: " + e.getMessage(), e);
        }
        return new SpecialTokens(token(root, "bos_token"), token(root, "eos_token"));
    }

    /** Returns a token, which is written as its text or as an object with it. */
    private static Optional<String> token(JsonNode root, String key) {
        JsonNode value = root.path(key);
        JsonNode text = value.isObject() ? value.path("content") : value;
        return text.isTextual() ? Optional.of(text.textValue()) : Optional.empty();
    }

    /** Returns these tokens, and for those that are not named the other ones. */
    public SpecialTokens or(SpecialTokens others) {
        return new SpecialTokens(bos.or(others::bos), eos.or(others::eos));
    }
}
