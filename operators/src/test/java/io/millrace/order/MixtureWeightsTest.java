package io.millrace.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MixtureWeightsTest {
    private static final List<String> NAMES = List.of("web", "code", "math", "books");

    private static long[] parse(String... texts) {
        return MixtureWeights.parse(NAMES.subList(0, texts.length), List.of(texts));
    }

    @Test
    void decimalsFractionsAndIntegersAreExact() {
        assertThat(parse("0.8", "0.2")).containsExactly(4, 1);
        assertThat(parse("1e-4", "0.9")).containsExactly(1, 9000);
        assertThat(parse("1/3", "1/7", "0.5")).containsExactly(14, 6, 21);
        assertThat(parse("7")).containsExactly(1);
        assertThat(parse("0", "2.50", " +1.5E1 ", ".5")).containsExactly(0, 5, 30, 1);
        assertThat(parse("4611686018427387903", "1")).containsExactly((1L << 62) - 1, 1);
        assertThat(parse("1e300", "2e300")).containsExactly(1, 2);
    }

    @Test
    void whatIsNoWeightIsRefused() {
        assertRefused("-0.1", "the weight of code is '-0.1'; expected 0 or more");
        assertRefused("nan", "the weight of code is 'nan'; expected a finite number of 0 or more");
        assertRefused(".inf", "the weight of code is '.inf'; expected a finite number of 0 or more");
        assertRefused("-Infinity", "the weight of code is '-Infinity'; expected 0 or more");
        assertRefused("1/0", "the weight of code is '1/0'; expected a fraction with a denominator above 0");
        for (String text : List.of("", "x", "1/2/3", "1,5", "0x10", "1e9999", "1.2/3", "\u0661", "9".repeat(101))) {
            assertThatThrownBy(() -> parse("1", text))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("expected a number of 0 or more, such as 0.8, 1e-4 or 1/3");
        }
    }

    private static void assertRefused(String text, String message) {
        assertThatThrownBy(() -> parse("1", text)).hasMessage(message);
    }

    @Test
    void weightsThatAreAllZeroAreRefused() {
        assertThatThrownBy(() -> parse("0", "0.0"))
                .hasMessage("all weights are 0: web, code; at least one source needs a weight above 0");
    }

    @Test
    void weightsWithoutExactIntegersAreRefusedWithTheirNames() {
        assertThatThrownBy(() -> parse("1e-30", "0.5", "1"))
                .hasMessage(
                        "the weights are not exact as integers of 64 bits: in proportion to one another they are integers with"
                                + " a sum of 101 bits, and at most 2^62 is possible. The weight of web, 1e-30, has the largest"
                                + " denominator, and math has the largest, 1; use fewer digits");
        assertThatThrownBy(() -> parse("1", "4611686018427387904")).hasMessageContaining("code has the largest");
        List<String> names = IntStream.range(0, 60).mapToObj(i -> "s" + i).toList();
        List<String> texts =
                IntStream.range(0, 60).mapToObj(i -> "1/" + (i + 1)).toList();
        assertThatThrownBy(() -> MixtureWeights.parse(names, texts))
                .hasMessageContaining("The weight of s59, 1/60, has");
    }
}
