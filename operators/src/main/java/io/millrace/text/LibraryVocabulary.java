package io.millrace.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of a {@code tokenizer.json}, of any model. The library does not return them to Java. The file is read as a stream, because
 * the largest have 35 MB.
 *
 * @param model the model's type as the file states it, such as {@code Unigram}; {@code null} in files of before 2020, which state none
 * @param ids the id of each token, those of the added tokens among them
 * @param added the id of each added token, in the file's order
 * @param template the ids before and after a text
 */
record LibraryVocabulary(
        @Nullable String model, Map<String, Integer> ids, Map<String, Integer> added, LibraryTemplate template) {
    private static final JsonFactory JSON = new ObjectMapper().getFactory();

    /**
     * Reads the tokens.
     *
     * @param source the name of the file, for messages
     * @throws TokenizerException when the file is not JSON, or has no model with a vocabulary
     */
    static LibraryVocabulary read(String source, byte[] json) throws TokenizerException {
        Reading reading = new Reading(source);
        try (JsonParser parser = JSON.createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw reading.unexpected(parser, "an object");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String key = parser.currentName();
                parser.nextToken();
                switch (key) {
                    case "model" -> reading.model(parser);
                    case "added_tokens" -> reading.addedTokens(parser);
                    case "post_processor" ->
                        reading.template = LibraryTemplate.read(source, parser.<JsonNode>readValueAsTree());
                    default -> parser.skipChildren();
                }
            }
            if (parser.nextToken() != null) {
                throw reading.unexpected(parser, "the end of the file after the object");
            }
        } catch (JsonParseException e) {
            throw new TokenizerException(
                    source + " is not JSON: line " + e.getLocation().getLineNr() + ", column "
                            + e.getLocation().getColumnNr() + ": "
                            + e.getOriginalMessage().replaceFirst(" \\(start marker at .*", ""),
                    e);
        } catch (JsonProcessingException e) {
            throw new TokenizerException(source + " cannot be read as JSON: " + e.getOriginalMessage(), e);
        } catch (TokenizerException e) {
            throw e;
        } catch (IOException e) {
            throw new TokenizerException(source + " cannot be read as JSON: " + e.getMessage(), e);
        }
        return reading.result();
    }

    /** Returns the largest id and one. */
    int size() {
        return 1 + ids.values().stream().mapToInt(Integer::intValue).max().orElse(-1);
    }

    /** The state of reading one file. */
    private static final class Reading {
        private final String source;
        private final Map<String, Integer> ids = new HashMap<>();
        private final Map<String, Integer> added = new LinkedHashMap<>();
        private @Nullable String type;
        private LibraryTemplate template = LibraryTemplate.NONE;
        private boolean hasVocabulary;
        private boolean hasMerges;
        private String subwordPrefix = "";

        Reading(String source) {
            this.source = source;
        }

        LibraryVocabulary result() throws TokenizerException {
            if (!hasVocabulary) {
                throw new TokenizerException(
                        source + " is not a tokenizer.json: expected the key \"model\" with a \"vocab\", found none");
            }
            ids.putAll(added);
            return new LibraryVocabulary(type, ids, added, template);
        }

        void model(JsonParser parser) throws IOException {
            require(parser, JsonToken.START_OBJECT, "an object as \"model\"");
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String key = parser.currentName();
                JsonToken value = parser.nextToken();
                if (key.equals("type")) {
                    require(parser, JsonToken.VALUE_STRING, "a string as \"type\" of the model");
                    type = parser.getText();
                } else if (key.equals("continuing_subword_prefix") && value == JsonToken.VALUE_STRING) {
                    subwordPrefix = parser.getText();
                    if (hasMerges && !subwordPrefix.isEmpty()) {
                        throw unexpected(parser, "\"continuing_subword_prefix\" before \"merges\"");
                    }
                } else if (key.equals("merges") && value == JsonToken.START_ARRAY) {
                    merges(parser);
                } else if (key.equals("vocab") && value == JsonToken.START_OBJECT) {
                    tokensWithIds(parser);
                } else if (key.equals("vocab") && value == JsonToken.START_ARRAY) {
                    piecesWithScores(parser);
                } else if (key.equals("vocab")) {
                    throw unexpected(parser, "an object or an array as \"vocab\"");
                } else {
                    parser.skipChildren();
                }
            }
        }

        /** The library cuts the prefix off the right part of each merge, and ends the process where there is none. */
        private void merges(JsonParser parser) throws IOException {
            hasMerges = true;
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                String right;
                if (parser.currentToken() == JsonToken.START_ARRAY) {
                    parser.nextToken();
                    right = parser.nextTextValue();
                    require(parser, JsonToken.VALUE_STRING, "two tokens in each of the \"merges\"");
                    if (parser.nextToken() != JsonToken.END_ARRAY) {
                        throw unexpected(parser, "two tokens in each of the \"merges\"");
                    }
                } else {
                    require(parser, JsonToken.VALUE_STRING, "two tokens in each of the \"merges\"");
                    right = parser.getText().substring(parser.getText().indexOf(' ') + 1);
                }
                if (!right.startsWith(subwordPrefix)) {
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
                ids.put(token, id(parser, token));
            }
        }

        private void piecesWithScores(JsonParser parser) throws IOException {
            hasVocabulary = true;
            int id = 0;
            while (parser.nextToken() == JsonToken.START_ARRAY) {
                parser.nextToken();
                require(parser, JsonToken.VALUE_STRING, "a piece and its score in \"vocab\"");
                ids.putIfAbsent(parser.getText(), id++);
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    if (!parser.currentToken().isNumeric()) {
                        throw unexpected(parser, "a piece and its score in \"vocab\"");
                    }
                }
            }
            require(parser, JsonToken.END_ARRAY, "an array of a piece and its score in \"vocab\"");
        }

        void addedTokens(JsonParser parser) throws IOException {
            if (parser.currentToken() == JsonToken.VALUE_NULL) {
                return;
            }
            require(parser, JsonToken.START_ARRAY, "an array as \"added_tokens\"");
            while (parser.nextToken() == JsonToken.START_OBJECT) {
                String content = null;
                int id = -1;
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    String key = parser.currentName();
                    parser.nextToken();
                    if (key.equals("content")) {
                        require(parser, JsonToken.VALUE_STRING, "a string as \"content\" of an added token");
                        content = parser.getText();
                    } else if (key.equals("id")) {
                        id = id(parser, "an added token");
                    } else {
                        parser.skipChildren();
                    }
                }
                if (content == null || id < 0) {
                    throw unexpected(parser, "\"id\" and \"content\" of each of the \"added_tokens\"");
                }
                added.put(content, id);
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

        TokenizerException unexpected(JsonParser parser, String expected) throws IOException {
            String found = parser.currentToken() == null ? "the end of the file" : parser.getText();
            return new TokenizerException(source + " is not a tokenizer.json: line "
                    + parser.currentTokenLocation().getLineNr() + ", column "
                    + parser.currentTokenLocation().getColumnNr() + ": expected " + expected + ", found "
                    + (found.length() > 40 ? found.substring(0, 40) + "..." : found));
        }
    }
}
