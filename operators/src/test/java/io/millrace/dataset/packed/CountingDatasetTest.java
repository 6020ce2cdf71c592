package io.millrace.dataset.packed;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.synthetic.SyntheticFormat;
import io.millrace.option.OptionValues;
import io.millrace.order.EpochOrder;
import io.millrace.order.SampleRandom;
import io.millrace.order.Shuffle;
import io.millrace.sequence.LengthsWriter;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntToLongFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class CountingDatasetTest {
    private static final int DOCUMENTS = 40;

    private static final String KEY = "07";

    @TempDir
    Path folder;

    /** A counter that begins when the latch opens. A document has one token more than its index. */
    private record LatchedCounter(CountDownLatch begin, String badDocuments) implements DocumentCounter.Spec {
        @Override
        public Dataset.Reading reading(Dataset documents, int count, IntToLongFunction indexes) {
            return documents.reading(new SampleRandom(1, SampleRandom.READ), 0, count, indexes);
        }

        @Override
        public DocumentCounter open(Dataset documents, boolean soon) {
            return new DocumentCounter() {
                @Override
                public int count(Dataset.Reading reading, int number, long document) throws IOException {
                    try {
                        begin.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        throw (InterruptedIOException) new InterruptedIOException("the test has ended").initCause(e);
                    }
                    return Math.toIntExact(reading.read(number).index()) + 1;
                }

                @Override
                public long cpuNanos() {
                    return 0;
                }

                @Override
                public void close() {}
            };
        }
    }

    @Test
    @Timeout(60)
    void datasetInMemoryIsReadOnOtherThreadsWhileItsDocumentsAreCounted() throws IOException {
        Path file = folder.resolve("lengths");
        LengthsWriter.share(file, HexFormat.of().parseHex(KEY), DOCUMENTS).close();
        CountDownLatch begin = new CountDownLatch(1);
        GrowingTokens growing = new GrowingTokens(new CountSpec(
                new EpochOrder(3, DOCUMENTS, Shuffle.FULL),
                8,
                DOCUMENTS,
                new TokenCounts("texts", file.toString(), KEY, DOCUMENTS),
                new LatchedCounter(begin, folder.resolve("bad").toString())));
        SyntheticFormat format = new SyntheticFormat();
        Map<String, Object> options = Map.of("size", (long) DOCUMENTS, "shape", List.of(1L, 1L, 1L));
        Dataset documents = new DatasetSpec(format.name(), OptionValues.of(format.options(), options)).open();
        assertThat(documents.resident()).isTrue();
        long[] all = LongStream.range(0, DOCUMENTS).toArray();
        try (Dataset view = growing.view(documents)) {
            GrowingLengths lengths = growing.open();
            assertThat(lengths.await(all, 0)).isFalse();
            assertThat(view.resident()).isFalse();
            begin.countDown();
            assertThat(lengths.await(all, TimeUnit.MINUTES.toNanos(1))).isTrue();
            assertThat(lengths.length(5)).isEqualTo(6);
            assertThat(lengths.isComplete()).isTrue();
            assertThat(view.resident()).isTrue();
        } finally {
            begin.countDown();
        }
    }
}
