package io.millrace.dataset.tokens;

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

class TokenIndexTest {
    @Property(tries = 200)
    void placesOfDocumentsAreTheSumsOfTheLengths(
            @ForAll @Size(min = 1, max = 700) List<@LongRange(min = 1, max = 1L << 34) Long> tokens) throws IOException {
        long[] lengths = tokens.stream().mapToLong(Long::longValue).toArray();
        TokenIndex index = again(index(lengths));

        assertThat(index.samples()).isEqualTo(lengths.length);
        long first = 0;
        for (int document = 0; document < lengths.length; document++) {
            assertThat(index.first(document)).isEqualTo(first);
            first += lengths[document];
        }
        assertThat(index.first(lengths.length)).isEqualTo(first).isEqualTo(index.array().tokens());
    }

    @Test
    void documentsOfOneLengthNeedNoList() throws IOException {
        TokenIndex index = again(TokenIndex.even(new TokenArray(TokenType.UINT16, 0, 1_000_001), 1000));

        assertThat(index.samples()).isEqualTo(1001);
        assertThat(index.first(7)).isEqualTo(7000);
        assertThat(index.first(1001)).isEqualTo(1_000_001);
        assertThat(bytes(index)).hasSizeLessThan(32);
    }

    @Test
    void damagedListIsRefused() throws IOException {
        byte[] bytes = bytes(index(new long[] {300, 5, 7}));
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> TokenIndex.read(new DataInputStream(new ByteArrayInputStream(cut))))
                    .isInstanceOf(IOException.class);
        }
        bytes[bytes.length - 1]++;
        assertThatThrownBy(() -> TokenIndex.read(new DataInputStream(new ByteArrayInputStream(bytes))))
                .hasMessage("expected documents of 312 tokens, found 313");
    }

    private static TokenIndex index(long[] lengths) throws IOException {
        TokenIndex.Builder builder = new TokenIndex.Builder();
        for (long length : lengths) {
            builder.add(length);
        }
        return builder.build(new TokenArray(
                TokenType.UINT16, 0, Arrays.stream(lengths).sum()));
    }

    private static TokenIndex again(TokenIndex index) throws IOException {
        return TokenIndex.read(new DataInputStream(new ByteArrayInputStream(bytes(index))));
    }

    private static byte[] bytes(TokenIndex index) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        index.write(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }
}
