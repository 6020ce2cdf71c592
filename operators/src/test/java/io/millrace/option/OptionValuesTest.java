package io.millrace.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OptionValuesTest {
    private static final Option<Integer> SIZE = Option.of("size", OptionType.INTEGER, "Rows of a batch.");
    private static final Option<Double> SHARE =
            Option.of("share", OptionType.NUMBER, "A share.").orElse(0.5);
    private static final Option<String> PATH =
            Option.of("path", OptionType.TEXT, "A path.").optional();
    private static final List<Option<?>> DECLARED = List.of(SIZE, SHARE, PATH);

    @Test
    void valuesReplaceDefaults() {
        OptionValues values = OptionValues.of(DECLARED, Map.of("size", 64L, "share", 1L, "path", "x"));

        assertThat(values.get(SIZE)).isEqualTo(64);
        assertThat(values.get(SHARE)).isEqualTo(1.0);
        assertThat(values.find(PATH)).contains("x");
        assertThat(values.raw()).isEqualTo(Map.of("size", 64L, "share", 1L, "path", "x"));
    }

    @Test
    void absentValueIsTheDefaultOrEmpty() {
        OptionValues values = OptionValues.of(DECLARED, Map.of("size", 64L));

        assertThat(values.get(SHARE)).isEqualTo(0.5);
        assertThat(values.find(PATH)).isEmpty();
        assertThatThrownBy(() -> values.get(PATH))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("option 'path' has no value and no default");
        assertThat(OptionValues.none().get(SHARE)).isEqualTo(0.5);
    }

    @Test
    void pathsAreChangedInAllTypesThatHaveThem() {
        Option<List<String>> files =
                Option.of("files", OptionType.listOf(OptionType.TEXT).ofPaths(), "Files.");
        Option<String> cache =
                Option.of("cache", OptionType.TEXT.ofPaths("auto"), "A folder.").optional();
        OptionValues values = OptionValues.of(
                        List.of(files, cache, SHARE),
                        Map.of("files", List.of("a", "b/c"), "cache", "auto", "share", 0.25))
                .with(PATH, "p");

        assertThat(values.withPaths(path -> "/x/" + path).raw())
                .isEqualTo(Map.of("files", List.of("/x/a", "/x/b/c"), "cache", "auto", "share", 0.25, "path", "p"));
        assertThat(values.with(cache, "d").withPaths(path -> "/x/" + path).raw())
                .containsEntry("cache", "/x/d");
    }

    @Test
    void identityHasTheValuesThatDecideTheSamples() {
        Option<String> labels =
                Option.of("labels", OptionType.PATH, "A file.").optional().decides(Identity.BATCHES);
        Option<Integer> count =
                Option.of("count", OptionType.INTEGER, "A number.").orElse(3).decides(Identity.BATCHES);
        Option<String> place = Option.of("place", OptionType.TEXT, "A place.").decides(Identity.NOTHING);
        List<Option<?>> declared = List.of(labels, count, place, PATH);

        assertThat(OptionValues.of(declared, Map.of("labels", "/data/a/l.gz", "count", 3L, "place", "x"))
                        .identity())
                .isEqualTo(Map.of("labels", "l.gz"));
        assertThat(OptionValues.of(declared, Map.of("count", 4L, "place", "y", "path", "undeclared"))
                        .identity())
                .isEqualTo(Map.of("count", 4L, "path", "undeclared"));
    }

    @Test
    void unknownMissingAndBadKeysAreNamedInTheMessage() {
        assertRefused(Map.of("size", 1L, "sise", 2L), "unknown key 'sise', expected one of [size, share, path]");
        assertRefused(Map.of(), "missing key 'size'");
        assertRefused(Map.of("size", "many"), "'size': expected a whole number, found 'many'");
    }

    @Test
    void optionHasItsDeclaredProperties() {
        assertThat(Option.keys(DECLARED)).containsExactly("size", "share", "path");
        assertThat(SIZE.required()).isTrue();
        assertThat(SIZE.fallback()).isNull();
        assertThat(SHARE.required()).isFalse();
        assertThat(SHARE.fallback()).isEqualTo(0.5);
        assertThat(PATH.required()).isFalse();
        assertThat(PATH.help()).isEqualTo("A path.");
    }

    @Test
    void valuesSurviveSerialization() throws Exception {
        OptionValues values = OptionValues.of(DECLARED, Map.of("size", 64L));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(values);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            assertThat(in.readObject()).isEqualTo(values).hasSameHashCodeAs(values);
        }
    }

    private static void assertRefused(Map<String, ?> raw, String message) {
        assertThatThrownBy(() -> OptionValues.of(DECLARED, raw))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }
}
