package io.millrace.dataset.jsonl;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.dataset.fields.FieldValues;
import io.millrace.dataset.fields.TextErrors;
import io.millrace.dataset.fields.Utf8;
import io.millrace.dataset.fields.ValuePlace;
import io.millrace.dataset.json.JsonDocument;
import io.millrace.dataset.json.JsonString;
import io.millrace.dataset.json.JsonValues;
import io.millrace.dataset.shard.PieceIndexer;
import io.millrace.sample.Field;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The conversion of a line to JSON and of its members to fields. Tested by {@code JsonlFormatTest}.
 *
 * @param errors the treatment of bytes that are no UTF-8, and of halves of surrogate pairs
 * @param document the member that holds the document, which is text and not empty
 */
record LineReader(TextErrors errors, String document) {
    private static final byte[] EMPTY = {};

    /** JSON that begins with bytes of 0 is taken for UTF-16 or UTF-32 by the parser. */
    private static final int ENCODING_BYTES = 4;

    /** A line without its end, in UTF-8, and its place. */
    @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
    record Line(byte[] json, ValuePlace place) {}

    /**
     * Takes ownership of the bytes of a line and returns its JSON.
     *
     * @param name the name of the file and the number of the line
     * @param offset the offset of {@code bytes} in the file
     */
    Line line(byte[] bytes, String name, long offset) throws BadSampleException {
        int from = offset == 0 ? Utf8.markBytes(bytes) : 0;
        int to = bytes.length;
        while (from < to && PieceIndexer.isBlank(bytes[from])) {
            from++;
        }
        while (to > from && PieceIndexer.isBlank(bytes[to - 1])) {
            to--;
        }
        byte[] json = from == 0 && to == bytes.length ? bytes : Arrays.copyOfRange(bytes, from, to);
        ValuePlace place = new ValuePlace(name, offset + from);
        for (int i = 0; i < Math.min(json.length, ENCODING_BYTES); i++) {
            if (json[i] == 0) {
                throw new BadSampleException(name, place.offset() + i, "expected JSON in UTF-8, found a byte of 0");
            }
        }
        if (Utf8.markBytes(json) > 0) { // the parser would skip it
            throw new BadSampleException(
                    name,
                    place.offset(),
                    "expected JSON, found a byte order mark, which only the beginning of a file may have");
        }
        return new Line(errors.utf8(json, name, place.offset()), place);
    }

    /** Returns the value of a whole line, an object. */
    static JsonNode object(Line line) throws BadSampleException {
        JsonNode whole = JsonDocument.parse(line.json(), line.place());
        if (!whole.isObject()) {
            throw notAnObject(line, whole.getNodeType().toString());
        }
        return whole;
    }

    private static BadSampleException notAnObject(Line line, String found) {
        return line.place().badSample("expected a JSON object in the line, found " + word(found));
    }

    private static String word(String kind) {
        return switch (kind) {
            case "STRING", "VALUE_STRING" -> "text";
            case "ARRAY", "START_ARRAY" -> "a list";
            case "OBJECT", "START_OBJECT" -> "an object";
            case "NULL", "VALUE_NULL" -> "null";
            case "BOOLEAN", "VALUE_TRUE", "VALUE_FALSE" -> "true or false";
            default -> "a number";
        };
    }

    /** Returns whether a field is the document of its sample. */
    boolean isDocument(FieldSource source) {
        return source.from().equals(document) && (source.as() == As.TEXT || source.as() == As.AUTO);
    }

    /** Returns a value of a line as a field. */
    Field field(FieldSource source, JsonNode whole, Line line) throws BadSampleException {
        JsonNode node = JsonValues.find(whole, source.from(), line.place());
        if (isDocument(source)) {
            byte[] document = node.isTextual() ? utf8(source, node.textValue(), line) : EMPTY;
            return document(
                    source, node.isTextual(), document, node.getNodeType().toString(), line);
        }
        boolean text = node.isTextual() || node.isObject() || (node.isArray() && source.as() == As.TEXT);
        return text
                ? FieldValues.text(
                        source,
                        utf8(source, node.isTextual() ? node.textValue() : JsonDocument.text(node), line),
                        line.place())
                : JsonValues.field(source, node, line.place());
    }

    /**
     * Returns the document of a line without building its other values. The whole line is parsed, and of several members with this
     * name the last one counts, as in {@link #object}.
     *
     * @param source a field for which {@link #isDocument} is true, and whose member is not within another one
     */
    Field onlyDocument(FieldSource source, Line line) throws BadSampleException {
        int quote = -1;
        JsonToken found = null;
        try (JsonParser parser = JsonDocument.parser(line.json())) {
            JsonToken first = parser.nextToken();
            if (first != JsonToken.START_OBJECT) {
                JsonDocument.parse(line.json(), line.place()); // reports what is no JSON at all
                throw notAnObject(line, String.valueOf(first));
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                boolean wanted = parser.currentName().equals(source.from());
                JsonToken value = parser.nextToken();
                if (wanted) {
                    found = value;
                    quote = (int) parser.currentTokenLocation().getByteOffset();
                }
                skip(parser, value);
            }
            if (parser.nextToken() != null) {
                JsonDocument.parse(line.json(), line.place()); // reports a second value
            }
        } catch (BadSampleException e) {
            throw e;
        } catch (IOException e) {
            throw JsonDocument.bad(line.json(), e, line.place());
        }
        if (found == null || found == JsonToken.VALUE_NULL) {
            throw line.place()
                    .badSample("expected a value at '" + source.from() + "' in the JSON, found "
                            + (found == null ? "none" : "null"));
        }
        byte[] text = found == JsonToken.VALUE_STRING
                ? JsonString.utf8(line.json(), quote, errors == TextErrors.REPLACE)
                : EMPTY;
        if (text == null) {
            throw JsonValues.halfOfPair(source, line.place());
        }
        return document(source, found == JsonToken.VALUE_STRING, text, found.toString(), line);
    }

    /** Skips the rest of a value token by token, so that numbers in it are checked. */
    private static void skip(JsonParser parser, JsonToken value) throws IOException {
        int depth = value.isStructStart() ? 1 : 0;
        while (depth > 0) {
            JsonToken token = parser.nextToken();
            depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        }
    }

    private static Field document(FieldSource source, boolean isText, byte[] text, String found, Line line)
            throws BadSampleException {
        if (!isText) {
            throw line.place().badSample("expected text as '" + source.from() + "', found " + word(found));
        }
        if (text.length == 0) {
            throw line.place().badSample("expected a document as '" + source.from() + "', found an empty text");
        }
        return FieldValues.text(source, text, line.place());
    }

    private byte[] utf8(FieldSource source, String text, Line line) throws BadSampleException {
        if (errors == TextErrors.QUARANTINE) {
            return JsonValues.utf8(source, text, line.place());
        }
        StringBuilder whole = new StringBuilder(text.length());
        text.codePoints()
                .map(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE ? 0xFFFD : point)
                .forEach(whole::appendCodePoint);
        return whole.toString().getBytes(StandardCharsets.UTF_8);
    }
}
