package io.millrace.dataset.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.fields.ValuePlace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * A reader of JSON that accepts what Python's {@code json.loads} accepts: one value, also with {@code NaN}, {@code Infinity} and
 * {@code -Infinity}, which Python's {@code json.dumps} writes. Of names that an object has several times, the last one counts. Lists
 * and objects may be nested {@value #MOST_DEPTH} deep.
 *
 * <p>Tested by {@code JsonlFormatTest} and {@code JsonValuesTest}.
 */
public final class JsonDocument {
    private static final int MOST_DEPTH = 900;

    /** Python's limit for whole numbers is 4300 digits. */
    private static final int MOST_DIGITS = 4300;

    private static final int SHOWN_BYTES = 20;

    private static final Set<String> NOT_FINITE = Set.of("NaN", "Infinity", "-Infinity");

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MOST_DEPTH)
                    .maxNumberLength(MOST_DIGITS)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    private static final ObjectMapper MAPPER = new ObjectMapper(FACTORY);

    private JsonDocument() {}

    /**
     * Returns the value of a whole text.
     *
     * @throws BadSampleException when the text is no JSON; the message has the place within it
     */
    public static JsonNode parse(byte[] json, ValuePlace place) throws BadSampleException {
        try (JsonParser parser = parser(json)) {
            JsonNode node = MAPPER.readTree(parser);
            if (node == null || node.isMissingNode()) {
                throw place.badSample("expected JSON, found nothing");
            }
            if (parser.nextToken() != null) {
                throw place.badSample("expected one JSON value, found another one after it"
                        + at(json, parser.currentTokenLocation()));
            }
            return node;
        } catch (BadSampleException e) {
            throw e;
        } catch (IOException e) {
            throw bad(json, e, place);
        }
    }

    /** Returns a parser of a whole text that refuses what {@link #parse} refuses. The caller closes it. */
    public static JsonParser parser(byte[] json) throws IOException {
        return new NotFinite(FACTORY.createParser(json));
    }

    /** Returns the exception for a text in which a parser has found no JSON. */
    public static BadSampleException bad(byte[] json, IOException cause, ValuePlace place) {
        BadSampleException badSample = place.badSample(
                cause instanceof JsonProcessingException malformed
                        ? reason(json, malformed)
                        : "expected JSON: " + cause.getMessage());
        badSample.initCause(cause);
        return badSample;
    }

    /** Returns the reason in words of our own, because those of the library name its settings. */
    private static String reason(byte[] json, JsonProcessingException e) {
        if (e instanceof JsonEOFException) {
            return "expected JSON, found the end of the text within a value";
        }
        if (String.valueOf(e.getOriginalMessage()).contains("surrogate")) { // Python reads such a name
            return "expected text as the name of a member, found half of a surrogate pair (\\ud800 to \\udfff)"
                    + at(json, e.getLocation());
        }
        return e instanceof StreamConstraintsException
                ? "expected lists and objects at most " + MOST_DEPTH + " deep and numbers of at most " + MOST_DIGITS
                        + " digits in JSON, found more" + at(json, e.getLocation())
                : "expected JSON, found something else" + at(json, e.getLocation());
    }

    /** Describes a place: " in line 3, column 7: 'NaN, 5'". */
    private static String at(byte[] json, JsonLocation location) {
        if (location == null || location.getLineNr() < 0) {
            return "";
        }
        String where = " in line " + location.getLineNr() + ", column " + Math.max(1, location.getColumnNr());
        int from = (int) Math.min(json.length, location.getByteOffset());
        return from < 0
                ? where
                : where + ": '"
                        + new String(json, from, Math.min(SHOWN_BYTES, json.length - from), StandardCharsets.UTF_8)
                        + "'";
    }

    /** Returns the JSON text of a value, with numbers that are not finite as Python writes them. */
    public static String text(JsonNode node) {
        try {
            return MAPPER.writer()
                    .without(JsonWriteFeature.WRITE_NAN_AS_STRINGS)
                    .writeValueAsString(node);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Refuses the names of numbers that other programs accept, but Python does not, such as {@code INF}. */
    private static final class NotFinite extends JsonParserDelegate {
        NotFinite(JsonParser parser) {
            super(parser);
        }

        @Override
        public JsonToken nextToken() throws IOException {
            JsonToken token = super.nextToken();
            if (token == JsonToken.VALUE_NUMBER_FLOAT && !isDecimal(getText())) {
                throw new JsonParseException(this, "not a number: " + getText(), currentTokenLocation());
            }
            return token;
        }

        private static boolean isDecimal(String number) {
            char last = number.charAt(number.length() - 1);
            return (last >= '0' && last <= '9') || NOT_FINITE.contains(number);
        }
    }
}
