package io.millrace.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A {@code tekken.json} of Mistral: a vocabulary of tiktoken by rank, with its pattern, behind special tokens that have the first ids. Text that
 * spells a special token stays text. The rules are those of {@code Tekkenizer} in mistral-common 1.12.
 *
 * <p>Tested by {@code TekkenFileTest}.
 */
final class TekkenFile {
    /** A key of the file's {@code config} that no tokenizer.json has. */
    static final String SPECIAL_TOKENS = "default_num_special_tokens";

    private static final JsonFactory JSON = new JsonFactory().setCodec(new ObjectMapper());

    /** The special tokens of files up to version 7 that name none. */
    private static final List<String> FIRST_SPECIAL = List.of(
            "<unk>",
            "<s>",
            "</s>",
            "[INST]",
            "[/INST]",
            "[AVAILABLE_TOOLS]",
            "[/AVAILABLE_TOOLS]",
            "[TOOL_RESULTS]",
            "[/TOOL_RESULTS]",
            "[TOOL_CALLS]",
            "[IMG]",
            "<pad>",
            "[IMG_BREAK]",
            "[IMG_END]",
            "[PREFIX]",
            "[MIDDLE]",
            "[SUFFIX]",
            "[SYSTEM_PROMPT]",
            "[/SYSTEM_PROMPT]",
            "[TOOL_CONTENT]");

    private static final int LAST_WITHOUT_SPECIAL = 7;

    private final String source;
    private final List<byte[]> tokens = new ArrayList<>();
    private JsonNode config = MissingNode.getInstance();
    private JsonNode special = MissingNode.getInstance();

    private TekkenFile(String source) {
        this.source = source;
    }

    /**
     * Reads a file.
     *
     * @param source the name of the file, for messages
     * @throws TokenizerException when it is malformed, or its pattern is not the one that is known
     */
    static RankedTokens read(String source, byte[] json) throws TokenizerException {
        TekkenFile file = new TekkenFile(source);
        try (JsonParser parser = JSON.createParser(json)) {
            file.read(parser);
            return file.ranked();
        } catch (IOException e) {
            throw TokenizerException.ofJson(source, e);
        }
    }

    private void read(JsonParser parser) throws IOException {
        require(parser.nextToken() == JsonToken.START_OBJECT, "an object");
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String key = parser.currentName();
            JsonToken value = parser.nextToken();
            switch (key) {
                case "config" -> config = parser.readValueAsTree();
                case "special_tokens" -> special = parser.readValueAsTree();
                case "vocab" -> {
                    require(value == JsonToken.START_ARRAY, "an array as \"vocab\"");
                    while (parser.nextToken() != JsonToken.END_ARRAY) {
                        token(parser);
                    }
                }
                default -> parser.skipChildren();
            }
        }
    }

    private void token(JsonParser parser) throws IOException {
        int rank = tokens.size();
        String expected = "\"rank\": " + rank + " and \"token_bytes\" in base64 at place " + rank + " of \"vocab\"";
        require(parser.currentToken() == JsonToken.START_OBJECT, expected);
        boolean ranked = false;
        byte[] bytes = new byte[0];
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String key = parser.currentName();
            JsonToken value = parser.nextToken();
            if (key.equals("rank")) {
                ranked = value == JsonToken.VALUE_NUMBER_INT && parser.getLongValue() == rank;
            } else if (key.equals("token_bytes")) {
                require(value == JsonToken.VALUE_STRING, expected);
                bytes = parser.getBinaryValue();
            } else {
                parser.skipChildren();
            }
        }
        require(ranked && bytes.length > 0, expected);
        require(
                rank >= 256 || Arrays.equals(bytes, new byte[] {(byte) rank}),
                "the byte " + rank + " as the token of rank " + rank);
        tokens.add(bytes);
    }

    private RankedTokens ranked() throws TokenizerException {
        int first = number(SPECIAL_TOKENS, 0, Integer.MAX_VALUE);
        int size = number("default_vocab_size", (long) first + 256, (long) first + tokens.size());
        if (!config.path("pattern").asText().equals(CasedPretokens.TEKKEN)) {
            throw new TokenizerException(
                    source + " is refused, because its pattern is unknown: expected that of the files which Mistral has"
                            + " published, found " + config.path("pattern").asText());
        }
        byte[] @Nullable [] byId = new byte[size][];
        for (int id = first; id < size; id++) {
            byId[id] = tokens.get(id - first);
        }
        return new RankedTokens("tekken " + version(), CasedPretokens.tekken(), special(first), byId);
    }

    private int number(String key, long least, long most) throws TokenizerException {
        JsonNode value = config.path(key);
        require(
                value.isInt() && value.intValue() >= least && value.intValue() <= most,
                "\"" + key + "\" of " + least + " to " + most + " in \"config\"");
        return value.intValue();
    }

    private String version() {
        return config.path("version").asText();
    }

    /** Returns the ids of the special tokens; those that the file does not name have names with their ids. */
    private Map<String, Integer> special(int count) throws TokenizerException {
        List<String> names = special.isMissingNode() || special.isNull() ? unnamed() : named();
        require(names.size() <= count, "at most " + count + " \"special_tokens\"");
        Map<String, Integer> ids = new LinkedHashMap<>();
        for (int id = 0; id < count; id++) {
            String name = id < names.size() ? names.get(id) : "<SPECIAL_" + id + ">";
            require(ids.put(name, id) == null, "each of the \"special_tokens\" once, but " + name + " is there twice");
        }
        return ids;
    }

    private List<String> named() throws TokenizerException {
        List<String> names = new ArrayList<>();
        for (JsonNode token : special) {
            require(
                    token.path("rank").asInt(-1) == names.size()
                            && token.path("token_str").isTextual(),
                    "\"rank\": " + names.size() + " and \"token_str\" at place " + names.size()
                            + " of \"special_tokens\"");
            names.add(token.path("token_str").textValue());
        }
        return names;
    }

    private List<String> unnamed() throws TokenizerException {
        String digits = version().replaceFirst("^v", "");
        require(
                digits.matches("[1-9][0-9]?") && Integer.parseInt(digits) <= LAST_WITHOUT_SPECIAL,
                "\"special_tokens\" in a file of version '" + version() + "'");
        return FIRST_SPECIAL;
    }

    private void require(boolean condition, String expected) throws TokenizerException {
        if (!condition) {
            throw new TokenizerException(source + " is not a tekken.json: expected " + expected);
        }
    }
}
