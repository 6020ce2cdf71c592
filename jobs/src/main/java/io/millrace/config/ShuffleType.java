package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.order.Shuffle;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The type of a {@link Shuffle} in a pipeline file: a word, or {@code {blocks: {size: 1024, open: 16}}}. */
final class ShuffleType {
    private static final String BLOCKS = "blocks";

    private static final Option<Integer> SIZE = Option.of("size", Types.atLeast(1), "Consecutive samples in a block.")
            .orElse(Shuffle.Blocks.STANDARD.size());
    private static final Option<Integer> OPEN = Option.of("open", Types.atLeast(1), "Blocks that are mixed at a time.")
            .orElse(Shuffle.Blocks.STANDARD.open());
    private static final List<Option<?>> OPTIONS = List.of(SIZE, OPEN);

    static final OptionType<Shuffle> TYPE = OptionType.of(
                    "none | full | blocks | {blocks: {size: 1024, open: 16}}", ShuffleType::parse)
            .writtenAs(ShuffleType::written);

    private ShuffleType() {}

    private static Shuffle parse(Object raw) {
        if (raw instanceof String word) {
            for (Shuffle.Whole shuffle : Shuffle.Whole.values()) {
                if (word(shuffle).equals(word)) {
                    return shuffle;
                }
            }
            if (word.equals(BLOCKS)) {
                return Shuffle.Blocks.STANDARD;
            }
        }
        if (raw instanceof Map<?, ?> map
                && map.size() == 1
                && map.containsKey(BLOCKS)
                && (map.get(BLOCKS) == null || map.get(BLOCKS) instanceof Map<?, ?>)) {
            return blocks(map.get(BLOCKS) instanceof Map<?, ?> values ? values : Map.of());
        }
        throw OptionType.expected("none, full, blocks or {blocks: {size: 1024, open: 16}}", raw);
    }

    private static Shuffle blocks(Map<?, ?> values) {
        OptionValues options = Types.values(OPTIONS, values);
        return new Shuffle.Blocks(options.get(SIZE), options.get(OPEN));
    }

    /** Returns a shuffle as a pipeline file has it. */
    private static Object written(Shuffle shuffle) {
        if (shuffle instanceof Shuffle.Blocks blocks) {
            Map<String, Object> settings = new LinkedHashMap<>();
            settings.put(SIZE.key(), blocks.size());
            settings.put(OPEN.key(), blocks.open());
            return Map.of(BLOCKS, settings);
        }
        return word((Shuffle.Whole) shuffle);
    }

    private static String word(Shuffle.Whole shuffle) {
        return shuffle.name().toLowerCase(Locale.ROOT);
    }
}
