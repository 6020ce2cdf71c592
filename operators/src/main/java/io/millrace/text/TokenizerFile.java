package io.millrace.text;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.storage.Storage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A file with a vocabulary, read whole. Its bytes decide its kind, because Llama 3's {@code tokenizer.model} has ranks of tiktoken and
 * Llama 2's is a model of SentencePiece.
 */
final class TokenizerFile {
    /** Larger than every vocabulary; weights that are named by mistake are not read. */
    private static final long MOST_BYTES = 256 << 20;

    private static final Pattern RANK = Pattern.compile("[A-Za-z0-9+/]+={0,2} \\d+\\s*(?s:\n.*)?");

    /** The files that are the tokenizer of a folder, the first one that it has. */
    private static final List<String> IN_FOLDER = List.of("tokenizer.json", "tekken.json");

    private final String source;
    private final byte[] bytes;
    private final Kind kind;

    private TokenizerFile(String source, byte[] bytes, Kind kind) {
        this.source = source;
        this.bytes = bytes;
        this.kind = kind;
    }

    /** Returns the path, for messages. */
    String source() {
        return source;
    }

    /** Returns the content, which nobody changes. */
    byte[] bytes() {
        return bytes;
    }

    Kind kind() {
        return kind;
    }

    /** The kinds of files. */
    enum Kind {
        TOKENIZER_JSON,
        TEKKEN,
        TIKTOKEN,
        SENTENCEPIECE
    }

    /**
     * Returns a file, or the {@code tokenizer.json} or else the {@code tekken.json} of a folder.
     *
     * @throws TokenizerException when a folder has none
     */
    static Path locate(Path path) throws TokenizerException {
        return Files.isDirectory(path) ? inFolder(path) : path;
    }

    /**
     * Reads a file.
     *
     * @throws TokenizerException when it cannot be read, or is of none of the kinds
     */
    static TokenizerFile read(Path file) throws TokenizerException {
        long size;
        try {
            size = Files.size(file);
        } catch (IOException e) {
            throw new TokenizerException(file + " cannot be read: " + e, e);
        }
        if (size == 0 || size > MOST_BYTES) {
            throw new TokenizerException(file + " is no tokenizer: expected 1 to " + MOST_BYTES
                    + " bytes, found a file of " + size + " bytes");
        }
        byte[] bytes;
        try {
            bytes = Storage.readFile(file.toString(), StorageOptions.STANDARD);
        } catch (DatasetException e) {
            throw new TokenizerException(String.valueOf(e.getMessage()), e);
        }
        return new TokenizerFile(file.toString(), bytes, kind(file, bytes));
    }

    private static Path inFolder(Path folder) throws TokenizerException {
        for (String name : IN_FOLDER) {
            if (Files.isRegularFile(folder.resolve(name))) {
                return folder.resolve(name);
            }
        }
        List<String> others = new ArrayList<>();
        try (var files = Files.newDirectoryStream(folder, "*.{model,tiktoken,json}")) {
            files.forEach(file -> others.add(String.valueOf(file.getFileName())));
        } catch (IOException e) {
            throw new TokenizerException(folder + " cannot be listed: " + e, e);
        }
        others.sort(null);
        throw new TokenizerException(
                folder + " has no tokenizer: expected the file " + String.join(" or ", IN_FOLDER) + ", found "
                        + (others.isEmpty()
                                ? "none of them, and no *.model or *.tiktoken"
                                : String.join(", ", others) + "; name one of these files if it is the tokenizer"));
    }

    private static Kind kind(Path file, byte[] bytes) throws TokenizerException {
        String start = new String(bytes, 0, Math.min(bytes.length, 4096), StandardCharsets.ISO_8859_1);
        String name = String.valueOf(file.getFileName());
        if (start.stripLeading().startsWith("{") || name.endsWith(".json")) {
            // Mistral's files begin with their "config".
            return start.contains('"' + TekkenFile.SPECIAL_TOKENS + '"') ? Kind.TEKKEN : Kind.TOKENIZER_JSON;
        }
        if (name.endsWith(".tiktoken") || RANK.matcher(start).matches()) {
            return Kind.TIKTOKEN;
        }
        // A model begins with its first piece: field 1, and the piece's length.
        if (bytes[0] == 0x0A) {
            return Kind.SENTENCEPIECE;
        }
        throw new TokenizerException(file
                + " is no tokenizer: expected a tokenizer.json or tekken.json, ranks of tiktoken (a token in base64, a"
                + " space and a number in each line) or a model of SentencePiece, found a file that begins with '"
                + start.substring(0, Math.min(start.length(), 16)) + "'");
    }
}
