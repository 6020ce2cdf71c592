package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.transform.text.PackOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * The buckets of documents that are not packed, by their numbers of tokens.
 *
 * @param upTo the largest number of tokens of each bucket, ascending; one more bucket holds longer documents
 * @param window the number of batches whose documents are exchanged
 * @param lengths the folder that keeps the numbers of tokens, or {@link PackOptions#AUTO}
 */
public record Bucketing(List<Integer> upTo, int window, String lengths) {
    private static final Option<List<Integer>> UP_TO =
            Option.of("up_to", OptionType.listOf(Types.atLeast(1)), "The largest number of tokens of each bucket.");
    private static final Option<Integer> WINDOW = Option.of(
                    "window", Types.between(1, 1 << 16), "The batches whose documents are exchanged.")
            .orElse(64);
    private static final Option<String> LENGTHS = Option.of(
                    "lengths", OptionType.TEXT, "The folder that keeps the numbers of tokens.")
            .orElse(PackOptions.AUTO);
    private static final List<Option<?>> OPTIONS = List.of(UP_TO, WINDOW, LENGTHS);

    /** The type of an option. */
    static final OptionType<Bucketing> TYPE = OptionType.of(
                    "[256, 1024] | {up_to: [256, 1024], window: 64, lengths: folder}", Bucketing::parse)
            .writtenAs(Bucketing::written);

    public Bucketing {
        upTo = List.copyOf(upTo);
    }

    private static Bucketing parse(Object raw) {
        if (raw instanceof List<?>) {
            return parse(Map.of(UP_TO.key(), raw));
        }
        if (!(raw instanceof Map<?, ?> map)) {
            throw OptionType.expected("the largest number of tokens of each bucket, such as [256, 1024]", raw);
        }
        OptionValues values = Types.values(OPTIONS, map);
        List<Integer> upTo = values.get(UP_TO);
        for (int i = 1; i < upTo.size(); i++) {
            if (upTo.get(i) <= upTo.get(i - 1)) {
                throw OptionType.expected("numbers of tokens that ascend", upTo);
            }
        }
        return new Bucketing(upTo, values.get(WINDOW), values.get(LENGTHS));
    }

    private Object written() {
        Map<String, Object> written = new LinkedHashMap<>();
        written.put(UP_TO.key(), upTo);
        written.put(WINDOW.key(), window);
        written.put(LENGTHS.key(), lengths);
        return written;
    }

    /** Returns the same buckets with another path of the folder. */
    Bucketing withPath(UnaryOperator<String> change) {
        return lengths.equals(PackOptions.AUTO) ? this : new Bucketing(upTo, window, change.apply(lengths));
    }
}
