package io.millrace.text;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * The ids that a {@code post_processor} of a {@code tokenizer.json} puts before and after one text. The library is never asked for
 * them: a template that names an undefined token ends its process.
 */
record LibraryTemplate(List<Integer> prefix, List<Integer> suffix) {
    static final LibraryTemplate NONE = new LibraryTemplate(List.of(), List.of());

    LibraryTemplate {
        prefix = List.copyOf(prefix);
        suffix = List.copyOf(suffix);
    }

    /**
     * Reads a template.
     *
     * @param source the name of the file, for messages
     * @param processor the value of {@code post_processor}
     * @throws TokenizerException when it is of an unknown type, damaged, or has the text not exactly once
     */
    static LibraryTemplate read(String source, JsonNode processor) throws TokenizerException {
        if (processor.isNull()) {
            return NONE;
        }
        return switch (processor.path("type").asText()) {
            case "ByteLevel" -> NONE;
            case "BertProcessing", "RobertaProcessing" ->
                new LibraryTemplate(
                        List.of(id(source, processor.path("cls").path(1))),
                        List.of(id(source, processor.path("sep").path(1))));
            case "TemplateProcessing" -> template(source, processor);
            case "Sequence" -> sequence(source, processor);
            default ->
                throw refused(
                        source,
                        "ByteLevel, BertProcessing, RobertaProcessing, TemplateProcessing or Sequence",
                        processor);
        };
    }

    private static LibraryTemplate sequence(String source, JsonNode processor) throws TokenizerException {
        LibraryTemplate all = NONE;
        for (JsonNode next : processor.path("processors")) {
            all = read(source, next).around(all);
        }
        return all;
    }

    private LibraryTemplate around(LibraryTemplate inner) {
        List<Integer> before = new ArrayList<>(prefix);
        before.addAll(inner.prefix);
        List<Integer> after = new ArrayList<>(inner.suffix);
        after.addAll(suffix);
        return new LibraryTemplate(before, after);
    }

    private static LibraryTemplate template(String source, JsonNode processor) throws TokenizerException {
        List<Integer> before = new ArrayList<>();
        List<Integer> after = new ArrayList<>();
        int texts = 0;
        for (JsonNode item : processor.path("single")) {
            if (item.has("Sequence")) {
                texts++;
                continue;
            }
            String token = item.path("SpecialToken").path("id").asText();
            JsonNode ids = processor.path("special_tokens").path(token).path("ids");
            if (!ids.isArray()) {
                throw refused(source, "ids of the token '" + token + "' in \"special_tokens\"", ids);
            }
            for (JsonNode id : ids) {
                (texts == 0 ? before : after).add(id(source, id));
            }
        }
        if (texts != 1) {
            throw refused(source, "one text with tokens before and after it", processor.path("single"));
        }
        return new LibraryTemplate(before, after);
    }

    private static int id(String source, JsonNode id) throws TokenizerException {
        if (!id.isInt() || id.intValue() < 0) {
            throw refused(source, "an id of 0 to " + Integer.MAX_VALUE, id);
        }
        return id.intValue();
    }

    private static TokenizerException refused(String source, String expected, JsonNode found) {
        String text = found.isMissingNode() ? "nothing" : found.toString();
        return new TokenizerException(source + ": \"post_processor\": expected " + expected + ", found "
                + (text.length() > 200 ? text.substring(0, 200) + "..." : text));
    }
}
