package io.millrace.dataset.fields;

import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The option {@code fields}, which names the fields to read. Other fields are not read, decoded or sent over the
 * network.
 */
public final class FieldSources {
    private static final String FROM = "from";
    private static final String AS = "as";

    /**
     * The type of the option: {@code [image, label]}, or {@code {image: jpg, label: cls, mask: {from: seg.png, as:
     * mask}}}. The keys are the names of the sample's fields, and the values are their names in the file.
     */
    public static final OptionType<List<FieldSource>> TYPE =
            OptionType.of("list of names, or {name: stored name or {from, as}}", FieldSources::parse);

    /** The option {@code fields}. If it is absent, a format reads its default fields. */
    public static final Option<List<FieldSource>> FIELDS = Option.of(
                    "fields",
                    TYPE,
                    "The fields to read, by their names in samples: [image, label], or {image: jpg, label: cls,"
                            + " mask: {from: seg.png, as: mask}}. No other field is read.")
            .optional()
            .decides(Identity.BATCHES);

    private FieldSources() {}

    private static List<FieldSource> parse(Object raw) {
        List<FieldSource> sources = new ArrayList<>();
        if (raw instanceof List<?> names && !names.isEmpty()) {
            names.forEach(name -> sources.add(new FieldSource(text(name), text(name), As.AUTO)));
        } else if (raw instanceof Map<?, ?> map && !map.isEmpty()) {
            map.forEach((name, value) -> sources.add(source(text(name), value)));
        } else {
            throw OptionType.expected("a list of names, or a map from names to their names in the file", raw);
        }
        if (sources.stream().map(FieldSource::name).distinct().count() < sources.size()) {
            throw OptionType.expected("each name once", raw);
        }
        return List.copyOf(sources);
    }

    private static FieldSource source(String name, Object value) {
        if (!(value instanceof Map<?, ?> map)) {
            return new FieldSource(name, text(value), As.AUTO);
        }
        for (Object key : map.keySet()) {
            if (!FROM.equals(key) && !AS.equals(key)) {
                throw OptionType.expected("the keys from and as for field '" + name + "'", key);
            }
        }
        Object from = map.get(FROM);
        return new FieldSource(name, from == null ? name : text(from), as(map.get(AS)));
    }

    private static As as(@Nullable Object value) {
        return value == null ? As.AUTO : OptionType.choice(As.class).parse(value);
    }

    private static String text(Object value) {
        return OptionType.TEXT.parse(value);
    }
}
