package io.millrace.config;

import io.millrace.batch.Form;
import io.millrace.option.OptionType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A field that the trainer receives.
 *
 * @param form the form on the wire; empty for the form that suits its kind
 */
public record WireField(String name, Optional<Form> form) {
    /** The word for the form that suits a field's kind. */
    public static final String AUTO = "auto";

    /** The list of all fields that the samples have after their transforms, each in the form that suits its kind. */
    public static final List<WireField> ALL = List.of(auto("*"));

    /** The word for {@link #ALL}. */
    static final String ALL_WORD = "all";

    /** The type of the list of fields: {@code [image, mask]}, or {@code {image: auto, mask: bits}}, or {@code all}. */
    static final OptionType<List<WireField>> TYPE = OptionType.of(
                    "list of names, or {name: auto | dense | bits | ragged | sparse}, or all", WireField::parse)
            .writtenAs(WireField::written);

    /** The type of forms by the names of fields. */
    static final OptionType<Map<String, Form>> FORMS = OptionType.of(
                    "{name: dense | bits | ragged | sparse}", WireField::parseForms)
            .writtenAs(WireField::writtenForms);

    private static Map<String, Form> parseForms(Object raw) {
        if (!(raw instanceof Map<?, ?> map) || map.isEmpty()) {
            throw OptionType.expected("names with their forms", raw);
        }
        Map<String, Form> forms = new LinkedHashMap<>();
        map.forEach((name, form) -> forms.put(OptionType.TEXT.parse(name), form(form)));
        return forms;
    }

    private static Object writtenForms(Map<String, Form> forms) {
        Map<String, Object> written = new LinkedHashMap<>();
        forms.forEach((name, form) -> written.put(name, form.name().toLowerCase(Locale.ROOT)));
        return written;
    }

    private static List<WireField> parse(Object raw) {
        if (ALL_WORD.equals(raw)) {
            return ALL;
        }
        List<WireField> fields = new ArrayList<>();
        if (raw instanceof List<?> names && !names.isEmpty()) {
            names.forEach(name -> fields.add(new WireField(OptionType.TEXT.parse(name), Optional.empty())));
        } else if (raw instanceof Map<?, ?> map && !map.isEmpty()) {
            map.forEach((name, form) -> fields.add(new WireField(
                    OptionType.TEXT.parse(name), AUTO.equals(form) ? Optional.empty() : Optional.of(form(form)))));
        } else {
            throw OptionType.expected("a list of names, names with their forms, or all", raw);
        }
        if (fields.stream().map(WireField::name).distinct().count() < fields.size()) {
            throw OptionType.expected("each name once", raw);
        }
        return List.copyOf(fields);
    }

    private static Form form(Object raw) {
        try {
            return OptionType.choice(Form.class).parse(raw);
        } catch (IllegalArgumentException e) {
            throw OptionType.expected("auto, dense, bits, ragged or sparse", raw);
        }
    }

    /** Returns a field in the form that suits its kind. */
    public static WireField auto(String name) {
        return new WireField(name, Optional.empty());
    }

    private static Object written(List<WireField> fields) {
        if (fields.equals(ALL)) {
            return ALL_WORD;
        }
        Map<String, Object> forms = new LinkedHashMap<>();
        fields.forEach(field -> forms.put(field.name(), field.written()));
        return forms;
    }

    /** Returns the form as a pipeline file has it. */
    public String written() {
        return form.map(f -> f.name().toLowerCase(Locale.ROOT)).orElse(AUTO);
    }
}
