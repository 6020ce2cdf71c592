package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.synthetic.SyntheticFormat;
import io.millrace.option.OptionValues;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SharedDatasetsTest {
    private final SharedDatasets shared = new SharedDatasets();
    private final List<FakeDataset> opened = new ArrayList<>();

    private static DatasetSpec spec(long size) {
        SyntheticFormat format = new SyntheticFormat();
        return new DatasetSpec(format.name(), OptionValues.of(format.options(), Map.of("size", size)));
    }

    private Dataset open(String run, long size) throws IOException {
        return shared.open(run, spec(size), () -> {
            FakeDataset dataset = FakeDataset.inMemory(size);
            opened.add(dataset);
            return dataset;
        });
    }

    @Test
    void readersOfARunShareOneDatasetThatTheLastReaderCloses() throws IOException {
        Dataset first = open("run", 10);
        Dataset second = open("run", 10);
        assertThat(opened).hasSize(1);

        first.close();
        first.close();
        assertThat(opened.get(0).closed()).isFalse();
        assertThat(second.read(3).key()).isEqualTo("file3");
        second.close();
        assertThat(opened.get(0).closed()).isTrue();
        assertThat(shared.size()).isZero();
    }

    @Test
    void otherRunsAndOtherDatasetsAreOpenedSeparately() throws IOException {
        try (Dataset first = open("run", 10);
                Dataset otherRun = open("next run", 10);
                Dataset otherDataset = open("run", 11)) {
            assertThat(opened).hasSize(3);
            assertThat(first.size()).isEqualTo(otherRun.size()).isEqualTo(otherDataset.size() - 1);
        }
        assertThat(opened).allMatch(FakeDataset::closed);
        assertThat(shared.size()).isZero();
    }

    @Test
    void failedOpeningIsTriedAgain() throws IOException {
        assertThatThrownBy(() -> shared.open("run", spec(10), () -> {
                    throw new DatasetException("no such file");
                }))
                .hasMessage("no such file");
        assertThat(shared.size()).isZero();
        open("run", 10).close();
        assertThat(opened).hasSize(1);
    }

    @Test
    void readersWaitForTheReaderThatOpensTheDataset() throws Exception {
        CountDownLatch opening = new CountDownLatch(1);
        AtomicInteger openings = new AtomicInteger();
        ExecutorService readers = Executors.newFixedThreadPool(8);
        try {
            List<Future<Dataset>> views = new ArrayList<>();
            for (int reader = 0; reader < 8; reader++) {
                views.add(readers.submit(() -> shared.open("run", spec(10), () -> {
                    openings.incrementAndGet();
                    try {
                        opening.await();
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                    return FakeDataset.inMemory(10);
                })));
            }
            opening.countDown();
            List<Dataset> all = new ArrayList<>();
            for (Future<Dataset> view : views) {
                all.add(view.get());
            }
            for (Dataset view : all) {
                view.close();
            }
        } finally {
            readers.shutdownNow();
        }
        assertThat(openings.get()).isEqualTo(1);
        assertThat(shared.size()).isZero();
    }

    @Test
    void readerThatWaitsForAnotherToOpenCanBeInterrupted() throws Exception {
        CountDownLatch opening = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        ExecutorService reader = Executors.newSingleThreadExecutor();
        try {
            Future<Dataset> slow = reader.submit(() -> shared.open("run", spec(10), () -> {
                opening.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
                return FakeDataset.inMemory(10);
            }));
            opening.await();
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> open("run", 10)).isInstanceOf(InterruptedIOException.class);
            assertThat(Thread.interrupted()).isTrue();
            goOn.countDown();
            slow.get().close();
        } finally {
            goOn.countDown();
            reader.shutdownNow();
        }
        assertThat(opened).isEmpty();
        assertThat(shared.size()).isZero();
    }
}
