package io.millrace.file;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeapLimitTest {
    @Test
    void valueThatALargeHeapHoldsIsRefusedIfNoArrayHoldsIt() {
        long most = Integer.MAX_VALUE - 8L;
        assertThat(HeapLimit.refusalOfArray("masks", most, 1L << 40)).isEmpty();
        assertThat(HeapLimit.refusalOfArray("masks", most + 1, 1L << 40))
                .isEqualTo("expected masks of at most 2147483639 bytes, the size of an array, found 2147483640");
        assertThat(HeapLimit.refusalOfArray("masks", 1L << 31, 1L << 40)).endsWith("found 2147483648");
        assertThat(HeapLimit.refusalOfArray("masks", 1L << 31)).contains("found 2147483648");
    }

    @Test
    void valueThatTheHeapDoesNotHoldIsRefused() {
        assertThat(HeapLimit.refusalOfArray("masks", 1000, 1000)).isEmpty();
        assertThat(HeapLimit.refusalOfArray("masks", 1001, 1000))
                .startsWith("expected masks of at most 1000 bytes, a quarter of the heap, found 1001; a larger heap");
        assertThat(HeapLimit.refusal("masks", HeapLimit.bytes())).isEmpty();
        assertThat(HeapLimit.refusal("masks", HeapLimit.bytes() + 1)).contains("a quarter of the heap");
    }
}
