package io.millrace.train.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class StateChunkTest {
    @Test
    void writtenChunkIsReadAgain() throws IOException {
        byte[] content = content(200_001);
        try (StateChunk chunk = StateChunk.of("weights", 7, 300_000, ByteBuffer.wrap(content));
                StateChunk read = read(bytes(chunk))) {
            assertThat(read.section()).isEqualTo("weights");
            assertThat(read.offset()).isEqualTo(7);
            assertThat(read.sectionBytes()).isEqualTo(300_000);
            assertThat(read.bytes()).isEqualTo(content.length);
            byte[] found = new byte[content.length];
            read.copy(0, ByteBuffer.wrap(found));
            assertThat(found).isEqualTo(content);
        }
    }

    @Test
    void lengthsOverTwoGigabytesAreKept() throws IOException {
        try (StateChunk chunk = StateChunk.of("weights", 5L << 32, 6L << 32, ByteBuffer.wrap(content(3)));
                StateChunk read = read(bytes(chunk))) {
            assertThat(read.offset()).isEqualTo(5L << 32);
            assertThat(read.sectionBytes()).isEqualTo(6L << 32);
        }
    }

    @Test
    void everyDamagedByteIsNoticed() throws IOException {
        byte[] written;
        try (StateChunk chunk = StateChunk.of("w", 0, 40, ByteBuffer.wrap(content(40)))) {
            written = bytes(chunk);
        }
        int content = written.length - Integer.BYTES - 40;
        for (int i = content; i < written.length; i++) {
            byte[] damaged = written.clone();
            damaged[i] ^= 4;
            assertThatThrownBy(() -> read(damaged))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("damaged: section 'w' at 0 has the checksum");
        }
    }

    @Test
    void chunkThatEndsTooEarlyIsReportedWithItsPlace() throws IOException {
        byte[] written;
        try (StateChunk chunk = StateChunk.of("weights", 128, 4000, ByteBuffer.wrap(content(40)))) {
            written = bytes(chunk);
        }
        for (int length = written.length - 43; length < written.length; length++) {
            byte[] cut = Arrays.copyOf(written, length);
            assertThatThrownBy(() -> read(cut))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("too short: expected 40 bytes of section 'weights' at 128");
        }
    }

    @Test
    void unknownVersionIsRefusedWithBothVersions() throws IOException {
        try (StateChunk chunk = StateChunk.of("weights", 0, 3, ByteBuffer.wrap(content(3)))) {
            byte[] written = bytes(chunk);
            written[0] = 9;
            assertThatThrownBy(() -> read(written))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("has version 9")
                    .hasMessageContaining("reads version 1");
        }
    }

    @Test
    void impossibleLengthIsRefusedBeforeMemoryIsAllocated() throws IOException {
        try (StateChunk chunk = StateChunk.of("w", 0, 3, ByteBuffer.wrap(content(3)))) {
            byte[] written = bytes(chunk);
            int length = written.length - Integer.BYTES - 3 - Integer.BYTES;
            ByteBuffer.wrap(written).putInt(length, Integer.MAX_VALUE);
            assertThatThrownBy(() -> read(written))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("expected a chunk of 1 to 16777216 bytes, found 2147483647");
            ByteBuffer.wrap(written).putInt(length, 4);
            assertThatThrownBy(() -> read(written))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("expected a chunk within its 3 bytes, found 4 bytes at 0");
        }
        assertThatThrownBy(() -> StateChunk.of("w", 2, 3, ByteBuffer.wrap(content(2))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void closedChunkIsNotRead() {
        StateChunk chunk = StateChunk.of("w", 0, 3, ByteBuffer.wrap(content(3)));
        chunk.close();
        chunk.close();
        assertThatThrownBy(() -> bytes(chunk))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("was closed");
    }

    @Test
    void closingEndsTheWriteOfAnotherThread() throws Exception {
        StateChunk chunk = StateChunk.of("w", 0, 1 << 20, ByteBuffer.wrap(content(1 << 20)));
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        OutputStream slow = new OutputStream() {
            @Override
            public void write(int value) {}

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                if (length > 1000) {
                    writing.countDown();
                    try {
                        closed.await();
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                }
            }
        };
        CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
            try {
                chunk.write(new DataOutputStream(slow));
            } catch (IOException e) {
                throw new IllegalArgumentException(e);
            }
        });
        writing.await();
        chunk.close();
        closed.countDown();
        assertThatThrownBy(writer::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void memoryOfClosedChunksIsReused() {
        try (ChunkPool pool = new ChunkPool()) {
            fill(pool).close();
            assertThat(pool.lentBytes()).isZero();
            try (ChunkMemory second = pool.take(999)) {
                assertThat(second.fill().getLong(0)).as("what the first left").isEqualTo(77);
            }
        }
    }

    @Test
    void garbageCollectorReturnsForgottenMemory() {
        try (ChunkPool pool = new ChunkPool()) {
            forget(pool);
            long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (pool.lentBytes() > 0 && System.nanoTime() < deadline) {
                System.gc();
                Thread.onSpinWait();
            }
            assertThat(pool.lentBytes()).isZero();
            try (ChunkMemory second = pool.take(1000)) {
                assertThat(second.fill().getLong(0)).as("what the first left").isEqualTo(77);
            }
        }
    }

    private static void forget(ChunkPool pool) {
        ChunkMemory memory = fill(pool);
        assertThat(memory.fill().getLong(0)).isEqualTo(77);
        assertThat(pool.lentBytes()).isPositive();
    }

    private static ChunkMemory fill(ChunkPool pool) {
        ChunkMemory memory = pool.take(1000);
        memory.fill().putLong(0, 77);
        return memory;
    }

    static byte[] content(int bytes) {
        byte[] content = new byte[bytes];
        new Random(bytes).nextBytes(content);
        return content;
    }

    private static byte[] bytes(StateChunk chunk) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        chunk.write(new DataOutputStream(out));
        return out.toByteArray();
    }

    private static StateChunk read(byte[] bytes) throws IOException {
        return StateChunk.read(new DataInputStream(new ByteArrayInputStream(bytes)));
    }
}
