package io.millrace.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class OptionTypeTest {
    private enum Mode {
        FAST,
        EXACT
    }

    @Test
    void wholeNumbersAreReadInTheirRange() {
        assertThat(OptionType.INTEGER.parse(7L)).isEqualTo(7);
        assertThat(OptionType.LONG.parse(1L << 40)).isEqualTo(1L << 40);
        assertRefused(OptionType.INTEGER, 1L << 40, "expected a whole number, found 1099511627776");
        assertRefused(OptionType.INTEGER, 1.5, "expected a whole number, found 1.5");
        assertRefused(OptionType.LONG, "7", "expected a whole number, found '7'");
    }

    @Test
    void numbersAreFinite() {
        assertThat(OptionType.NUMBER.parse(2L)).isEqualTo(2.0);
        assertThat(OptionType.NUMBER.parse(0.25)).isEqualTo(0.25);
        assertRefused(OptionType.NUMBER, Double.NaN, "expected a number, found NaN");
        assertRefused(OptionType.NUMBER, true, "expected a number, found true");
    }

    @Test
    void booleansAndTextAreReadAsWritten() {
        assertThat(OptionType.BOOLEAN.parse(false)).isFalse();
        assertRefused(OptionType.BOOLEAN, "yes", "expected true or false, found 'yes'");
        assertThat(OptionType.TEXT.parse("data/photos")).isEqualTo("data/photos");
        assertThat(OptionType.TEXT.parse(2026L)).isEqualTo("2026");
        assertRefused(OptionType.TEXT, "", "expected text, found ''");
        assertRefused(OptionType.TEXT, List.of(), "expected text, found []");
    }

    @Test
    void choiceAcceptsConstantsInLowerCaseOnly() {
        OptionType<Mode> type = OptionType.choice(Mode.class);

        assertThat(type.name()).isEqualTo("fast | exact");
        assertThat(type.parse("exact")).isEqualTo(Mode.EXACT);
        assertRefused(type, "EXACT", "expected one of fast | exact, found 'EXACT'");
        assertRefused(type, 1L, "expected one of fast | exact, found 1");
    }

    @Test
    void listsCheckEachElementAndAreNotEmpty() {
        OptionType<List<Integer>> type = OptionType.listOf(OptionType.INTEGER);

        assertThat(type.parse(List.of(224L, 224L))).containsExactly(224, 224);
        assertRefused(type, List.of(), "expected a list of integer, found []");
        assertRefused(type, List.of(1L, "x"), "expected a whole number, found 'x'");
        assertRefused(type, 224L, "expected a list of integer, found 224");
    }

    @Test
    void firstFailingConditionIsNamed() {
        OptionType<Double> share =
                OptionType.NUMBER.where(x -> x >= 0, "at least 0").where(x -> x <= 1, "at most 1");

        assertThat(share.name()).isEqualTo("number, at least 0, at most 1");
        assertThat(share.parse(1L)).isEqualTo(1.0);
        assertRefused(share, -1L, "expected at least 0, found -1");
        assertRefused(share, 2L, "expected at most 1, found 2");
        assertRefused(share, "x", "expected a number, found 'x'");
    }

    private static void assertRefused(OptionType<?> type, Object raw, String message) {
        assertThatThrownBy(() -> type.parse(raw))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void bytesHaveUnits() {
        assertThat(OptionType.BYTES.parse(512L)).isEqualTo(512);
        assertThat(OptionType.BYTES.parse("256MB")).isEqualTo(256_000_000);
        assertThat(OptionType.BYTES.parse("64 KiB")).isEqualTo(65_536);
        for (Object bad : new Object[] {-1L, 1.5, "256mb", "MB", "99999999999TB", true}) {
            assertThatThrownBy(() -> OptionType.BYTES.parse(bad))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("expected")
                    .hasMessageContaining(bad.toString());
        }
    }
}
