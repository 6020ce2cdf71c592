package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Tests with the bytes of earlier versions. They must always be readable, so the bytes here must never change. */
class SerializersTest {
    private static final String RANGE_1 = "0000000000000005" + "0000010000000010";
    private static final String STATE_1 = "0000000000000040" + "00000002" //
            + "0000000000000000" + "0000000000000004" //
            + "0000000000000010" + "0000000000000020";
    private static final String STATE_2 = "0000000000000040" + "00000001" + "0000000000000010" + "0000000000000020" //
            + "00000003" + "722f31" + "00000002" //
            + "0000000a" + "62617463682e73697a65" + "00000002" + "3634" //
            + "0000000a" + "6f726465722e73656564" + "00000001" + "37";

    private final RangeSerializer ranges = new RangeSerializer();
    private final EnumeratorStateSerializer states = new EnumeratorStateSerializer();

    @Test
    void rangeOfVersionOneIsReadAndWritten() throws IOException {
        Range range = new Range(5, (1L << 40) + 16);

        assertThat(ranges.getVersion()).isEqualTo(1);
        assertThat(ranges.serialize(range)).isEqualTo(bytes(RANGE_1));
        assertThat(ranges.deserialize(1, bytes(RANGE_1))).isEqualTo(range);
    }

    @Test
    void stateOfVersionOneIsRead() throws IOException {
        EnumeratorState state = new EnumeratorState(64, List.of(new Range(0, 4), new Range(16, 32)));

        assertThat(states.deserialize(1, bytes(STATE_1))).isEqualTo(state);
    }

    @Test
    void stateOfVersionTwoIsReadAndWritten() throws IOException {
        EnumeratorState state = new EnumeratorState(
                64, List.of(new Range(16, 32)), new RunIdentity(Map.of("order.seed", "7", "batch.size", "64"), "r/1"));

        assertThat(states.getVersion()).isEqualTo(2);
        assertThat(states.serialize(state)).isEqualTo(bytes(STATE_2));
        assertThat(states.deserialize(2, bytes(STATE_2))).isEqualTo(state);
    }

    @Test
    void everyTruncationOfAStateIsRefused() {
        byte[] whole = bytes(STATE_2);
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> states.deserialize(2, cut)).isInstanceOf(IOException.class);
        }
    }

    @Property
    void stateSurvivesTheRoundTrip(
            @ForAll @LongRange(min = 0) long next,
            @ForAll @Size(max = 20) List<@IntRange(min = 1, max = 99) Integer> sizes)
            throws IOException {
        List<Range> returned = sizes.stream()
                .map(size -> new Range(100L * size, 100L * size + size))
                .toList();
        EnumeratorState state = new EnumeratorState(next, returned, new RunIdentity(Map.of("ä", ""), "ü"));

        assertThat(states.deserialize(2, states.serialize(state))).isEqualTo(state);
    }

    @Test
    void otherVersionsAreRefused() {
        assertThatThrownBy(() -> ranges.deserialize(2, bytes(RANGE_1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("version 2")
                .hasMessageContaining("another release");
        assertThatThrownBy(() -> states.deserialize(0, bytes(STATE_1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("version 0")
                .hasMessageContaining("another release");
    }

    @Test
    void wrongNumberOfBytesIsRefused() {
        assertThatThrownBy(() -> ranges.deserialize(1, new byte[15]))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("16 bytes, found 15");
        assertThatThrownBy(() -> states.deserialize(1, new byte[3]))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("3 bytes is cut off");
        assertThatThrownBy(() -> states.deserialize(1, bytes(STATE_1.substring(0, STATE_1.length() - 2))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("2 ranges");
    }

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex);
    }
}
