package io.millrace.dataset.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class DeltaLengthsTest {
    @Property(tries = 200)
    void placesArePartialSumsAlsoAfterTheListIsStored(
            @ForAll @Size(max = 700) List<@LongRange(min = 0, max = 1L << 34) Long> lengths) throws IOException {
        DeltaLengths list = read(bytes(lengths));

        assertThat(list.count()).isEqualTo(lengths.size());
        long start = 0;
        for (int piece = 0; piece < lengths.size(); piece++) {
            assertThat(list.start(piece)).isEqualTo(start);
            start += lengths.get(piece);
        }
        assertThat(list.start(lengths.size())).isEqualTo(start).isEqualTo(list.total());
    }

    @Test
    void pieceOfAKilobyteNeedsTwoBytes() throws IOException {
        assertThat(bytes(java.util.Collections.nCopies(10_000, 1000L))).hasSize(2 * 10_000 + 8);
    }

    @Test
    void damagedListIsRefused() throws IOException {
        byte[] bytes = bytes(List.of(300L, 5L, 7L));
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> read(cut)).isInstanceOf(IOException.class);
        }
        bytes[bytes.length - 1] = (byte) 0x80;
        assertThatThrownBy(() -> read(bytes)).hasMessage("expected the lengths of 3 pieces, found 2");
    }

    private static byte[] bytes(List<Long> lengths) throws IOException {
        DeltaLengths.Builder builder = new DeltaLengths.Builder();
        for (long length : lengths) {
            builder.add(length);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        builder.build().write(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    private static DeltaLengths read(byte[] bytes) throws IOException {
        return DeltaLengths.read(new DataInputStream(new ByteArrayInputStream(bytes)));
    }
}
