package io.millrace.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The content of a {@code tokenizer.json}, of any model, read once as a stream, because the largest files have 35 MB.
 *
 * <p>Tested by {@code TokenizerJsonTest}.
 */
final class TokenizerJson {
    /** Names of a vocabulary occur once, so that nothing is gained by keeping them. */
    private static final JsonFactory JSON = new JsonFactoryBuilder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build()
            .setCodec(new ObjectMapper());

    private static final String PAIR = "two tokens in each of the \"merges\"";

    private final String source;
    private final TokenTable tokens = new TokenTable();
    private final Map<String, JsonNode> parts = new HashMap<>();
    private final Map<String, JsonNode> settings = new HashMap<>();
    private final TextRuns merges = new TextRuns();
    private final List<AddedToken> added = new ArrayList<>();
    private @Nullable String type;
    private LibraryTemplate template = LibraryTemplate.NONE;
    private boolean hasVocabulary;
    private boolean hasMerges;
    private String subwordPrefix = "";

    /**
     * A token that is found in a text before it is cut.
     *
     * @param singleWord whether no character of a word may be beside it
     * @param left whether white space before it belongs to it
     * @param right whether white space after it belongs to it
     * @param normalized whether it is found in the normal form of a text
     */
    record AddedToken(String content, int id, boolean singleWord, boolean left, boolean right, boolean normalized) {}

    private TokenizerJson(String source) {
        this.source = source;
    }

    /**
     * Reads a file.
     *
     * @param source the name of the file, for messages
     * @throws TokenizerException when the file is not JSON, or has no model with a vocabulary
     */
    static TokenizerJson read(String source, byte[] json) throws TokenizerException {
        TokenizerJson file = new TokenizerJson(source);
        try (JsonParser parser = JSON.createParser(file.decode(json))) {
            file.read(parser);
        } catch (JsonParseException e) {
            throw new TokenizerException(
                    source + " is not JSON: line " + e.getLocation().getLineNr() + ", column "
                            + e.getLocation().getColumnNr() + ": "
                            + e.getOriginalMessage().replaceFirst(" \\(start marker at .*", ""),
                    e);
        } catch (IOException e) {
            throw TokenizerException.ofJson(source, e);
        }
        if (!file.hasVocabulary) {
            throw new TokenizerException(
                    source + " is not a tokenizer.json: expected the key \"model\" with a \"vocab\", found none");
        }
        return file;
    }

    private char[] decode(byte[] json) throws TokenizerException {
        CharBuffer text = CharBuffer.allocate(json.length);
        ByteBuffer bytes = ByteBuffer.wrap(json);
        CoderResult result = StandardCharsets.UTF_8.newDecoder().decode(bytes, text, true);
        if (result.isError()) {
            throw new TokenizerException(
                    source + " is not JSON: expected UTF-8, found other bytes at byte " + bytes.position());
        }
        return Arrays.copyOf(text.array(), text.position());
    }

    /** Returns the model's type as the file states it, such as {@code Unigram}; {@code null} in files of before 2020, which state none. */
    @Nullable
    String type() {
        return type;
    }

    /** Returns whether the model is a BPE. The library finds the type of a model that states none by its content. */
    boolean pairEncoding() {
        return type == null ? hasMerges : type.equals("BPE");
    }

    /** Returns the value of {@code normalizer} or {@code pre_tokenizer}. */
    JsonNode part(String key) {
        return parts.getOrDefault(key, MissingNode.getInstance());
    }

    /** Returns a number, text or truth value of the model. */
    JsonNode setting(String key) {
        return settings.getOrDefault(key, MissingNode.getInstance());
    }

    /** Returns the left and the right token of each merge in turn. The right one is empty where the file has one token only. */
    TextRuns merges() {
        return merges;
    }

    /** Returns the added tokens. */
    List<AddedToken> added() {
        return added;
    }

    /** Returns the tokens and their ids. */
    LibraryVocabulary vocabulary() {
        Map<String, Integer> ids = new LinkedHashMap<>();
        added.forEach(token -> ids.put(token.content(), token.id()));
        return new LibraryVocabulary(tokens, ids, template);
    }

    private void read(JsonParser parser) throws IOException {
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            throw unexpected(parser, "an object");
        }
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String key = parser.currentName();
            parser.nextToken();
            switch (key) {
                case "model" -> model(parser);
                case "added_tokens" -> addedTokens(parser);
                case "normalizer", "pre_tokenizer" -> parts.put(key, parser.readValueAsTree());
                case "post_processor" -> template = LibraryTemplate.read(source, parser.<JsonNode>readValueAsTree());
                default -> parser.skipChildren();
            }
        }
        if (parser.nextToken() != null) {
            throw unexpected(parser, "the end of the file after the object");
        }
    }

    private void model(JsonParser parser) throws IOException {
        require(parser, JsonToken.START_OBJECT, "an object as \"model\"");
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String key = parser.currentName();
            JsonToken value = parser.nextToken();
            if (key.equals("type")) {
                require(parser, JsonToken.VALUE_STRING, "a string as \"type\" of the model");
                type = parser.getText();
            } else if (key.equals("merges") && value == JsonToken.START_ARRAY) {
                merges(parser);
            } else if (key.equals("vocab") && value == JsonToken.START_OBJECT) {
                tokensWithIds(parser);
            } else if (key.equals("vocab") && value == JsonToken.START_ARRAY) {
                piecesWithScores(parser);
            } else if (key.equals("vocab")) {
                throw unexpected(parser, "an object or an array as \"vocab\"");
            } else if (value.isScalarValue()) {
                settings.put(key, parser.readValueAsTree());
                subwordPrefix = setting("continuing_subword_prefix").asText("");
                if (hasMerges && !subwordPrefix.isEmpty()) {
                    throw unexpected(parser, "\"continuing_subword_prefix\" before \"merges\"");
                }
            } else {
                parser.skipChildren();
            }
        }
    }

    /** The library cuts the prefix off the right part of each merge, and ends the process where there is none. */
    private void merges(JsonParser parser) throws IOException {
        hasMerges = true;
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (parser.currentToken() == JsonToken.START_ARRAY) {
                for (int i = 0; i < 2; i++) {
                    parser.nextToken();
                    require(parser, JsonToken.VALUE_STRING, PAIR);
                    int from = parser.getTextOffset();
                    merges.add(parser.getTextCharacters(), from, from + parser.getTextLength());
                }
                parser.nextToken();
                require(parser, JsonToken.END_ARRAY, PAIR);
            } else {
                require(parser, JsonToken.VALUE_STRING, PAIR);
                char[] text = parser.getTextCharacters();
                int from = parser.getTextOffset();
                int to = from + parser.getTextLength();
                int space = from;
                while (space < to && text[space] != ' ') {
                    space++;
                }
                merges.add(text, from, space);
                merges.add(text, Math.min(space + 1, to), to);
            }
            if (!subwordPrefix.isEmpty() && !merges.text(merges.size() - 1).startsWith(subwordPrefix)) {
                throw unexpected(
                        parser, "a right part that begins with " + subwordPrefix + " in each of the \"merges\"");
            }
        }
    }

    private void tokensWithIds(JsonParser parser) throws IOException {
        hasVocabulary = true;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String token = parser.currentName();
            parser.nextToken();
            tokens.put(token, id(parser, token));
        }
    }

    private void piecesWithScores(JsonParser parser) throws IOException {
        hasVocabulary = true;
        int id = 0;
        while (parser.nextToken() == JsonToken.START_ARRAY) {
            parser.nextToken();
            require(parser, JsonToken.VALUE_STRING, "a piece and its score in \"vocab\"");
            String piece = parser.getText();
            if (tokens.id(piece) < 0) {
                tokens.put(piece, id);
            }
            id++;
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                if (!parser.currentToken().isNumeric()) {
                    throw unexpected(parser, "a piece and its score in \"vocab\"");
                }
            }
        }
        require(parser, JsonToken.END_ARRAY, "an array of a piece and its score in \"vocab\"");
    }

    private void addedTokens(JsonParser parser) throws IOException {
        if (parser.currentToken() == JsonToken.VALUE_NULL) {
            return;
        }
        require(parser, JsonToken.START_ARRAY, "an array as \"added_tokens\"");
        while (parser.nextToken() == JsonToken.START_OBJECT) {
            String content = null;
            int id = -1;
            Map<String, Boolean> flags = new HashMap<>();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String key = parser.currentName();
                JsonToken value = parser.nextToken();
                if (key.equals("content")) {
                    require(parser, JsonToken.VALUE_STRING, "a string as \"content\" of an added token");
                    content = parser.getText();
                } else if (key.equals("id")) {
                    id = id(parser, "an added token");
                } else {
                    flags.put(key, value == JsonToken.VALUE_TRUE);
                    parser.skipChildren();
                }
            }
            if (content == null || id < 0) {
                throw unexpected(parser, "\"id\" and \"content\" of each of the \"added_tokens\"");
            }
            added.add(new AddedToken(
                    content,
                    id,
                    flags.getOrDefault("single_word", false),
                    flags.getOrDefault("lstrip", false),
                    flags.getOrDefault("rstrip", false),
                    flags.getOrDefault("normalized", false)));
        }
        require(parser, JsonToken.END_ARRAY, "an array of objects as \"added_tokens\"");
    }

    private int id(JsonParser parser, String token) throws IOException {
        if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT
                || !parser.getNumberType().equals(JsonParser.NumberType.INT)
                || parser.getIntValue() < 0) {
            throw unexpected(parser, "an id of 0 to " + Integer.MAX_VALUE + " of " + token);
        }
        return parser.getIntValue();
    }

    private void require(JsonParser parser, JsonToken token, String expected) throws IOException {
        if (parser.currentToken() != token) {
            throw unexpected(parser, expected);
        }
    }

    private TokenizerException unexpected(JsonParser parser, String expected) throws IOException {
        String found = parser.currentToken() == null ? "the end of the file" : parser.getText();
        return new TokenizerException(source + " is not a tokenizer.json: line "
                + parser.currentTokenLocation().getLineNr() + ", column "
                + parser.currentTokenLocation().getColumnNr() + ": expected " + expected + ", found "
                + (found.length() > 40 ? found.substring(0, 40) + "..." : found));
    }
}
