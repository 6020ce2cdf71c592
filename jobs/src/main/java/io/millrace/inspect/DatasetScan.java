package io.millrace.inspect;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.inspect.DatasetSummary.BadEntry;
import io.millrace.sample.BadSample;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.transform.PlacedTransform;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The result of reading and decoding every sample of a dataset.
 *
 * <p>Tested by {@code DatasetInspectorTest}.
 *
 * @param samples the number of samples
 * @param bad the number of bad samples
 * @param listed the first bad samples, by index
 * @param bytes the bytes of all fields of good samples, before decoding
 * @param labels the number of good samples for each label; empty when the dataset has no labels
 * @param restarts the number of JPEGs by their restart interval, in coded units; 0 for JPEGs without restart markers
 * @param smallest the shape of the image with the fewest pixels, as [height, width, channels]; null without images
 * @param largest the shape of the image with the most pixels; null without images
 */
public record DatasetScan(
        long samples,
        long bad,
        List<BadEntry> listed,
        long bytes,
        Map<Long, Long> labels,
        Map<Integer, Long> restarts,
        @Nullable List<Integer> smallest,
        @Nullable List<Integer> largest) {
    /**
     * The largest number of bad samples that are listed. Without a limit, their reasons could fill the memory when all
     * samples are bad.
     */
    static final int MOST_LISTED = 100_000;

    /**
     * The maximum number of different labels that are counted. More different labels occur only as the targets of a
     * regression.
     */
    private static final int MOST_LABELS = 100_000;

    /** The number of consecutive samples that a thread processes at a time. */
    private static final int CHUNK = 64;

    public DatasetScan {
        listed = List.copyOf(listed);
    }

    /**
     * Scans a dataset on {@code threads} threads.
     *
     * @param decode the supplier of decode stages, called once for each thread
     * @param decodes whether the pipeline decodes its samples, so that bytes that begin like no image may make a sample bad
     * @param progress receives the number of finished samples from time to time, on any thread
     * @throws IOException when reading fails for a reason other than a bad sample
     */
    static DatasetScan of(
            Dataset dataset, Supplier<PlacedTransform> decode, boolean decodes, int threads, LongConsumer progress)
            throws IOException, InterruptedException {
        AtomicLong next = new AtomicLong();
        AtomicLong done = new AtomicLong();
        ExecutorService executor = Executors.newFixedThreadPool(threads, task -> {
            Thread thread = new Thread(task, "scan");
            thread.setDaemon(true);
            return thread;
        });
        try {
            List<Future<Findings>> workers = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                workers.add(executor.submit(() -> {
                    Findings findings = new Findings(decode.get(), decodes);
                    for (long from = next.getAndAdd(CHUNK); from < dataset.size(); from = next.getAndAdd(CHUNK)) {
                        long end = Math.min(from + CHUNK, dataset.size());
                        for (long index = from; index < end; index++) {
                            findings.examine(dataset, index);
                        }
                        progress.accept(done.addAndGet(end - from));
                    }
                    return findings;
                }));
            }
            Findings all = new Findings(decode.get(), decodes);
            for (Future<Findings> worker : workers) {
                all.add(worker.get());
            }
            return all.scan(dataset.size(), dataset.labels().isPresent());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IllegalStateException("the scan failed", e.getCause());
        } finally {
            executor.shutdownNow();
        }
    }

    /** The results of one thread. */
    private static final class Findings {
        private final PlacedTransform decode;
        private final boolean decodes;
        private final TreeMap<Long, BadEntry> bad = new TreeMap<>();
        private final TreeMap<Long, Long> labels = new TreeMap<>();
        private final RestartIntervals restarts = new RestartIntervals();
        private long badCount;
        private long bytes;
        private int @Nullable [] smallest;
        private int @Nullable [] largest;

        Findings(PlacedTransform decode, boolean decodes) {
            this.decode = decode;
            this.decodes = decodes;
        }

        void examine(Dataset dataset, long index) throws IOException {
            Sample sample;
            try {
                sample = dataset.read(index).placeAt(index, 0, Split.TRAIN);
            } catch (BadSampleException e) {
                addBad(dataset.indexInWhole(index), e.file(), e.offset(), e.reason());
                return;
            }
            restarts.add(sample);
            long read = 0;
            boolean encoded = false;
            for (String name : sample.fieldNames()) {
                Field field = sample.field(name);
                read += field.data().length;
                encoded |= field.dtype() == DType.ENCODED || (decodes && field.expected() != null);
            }
            if (encoded) {
                decode.apply(sample);
            }
            BadSample badSample = sample.badSample();
            if (badSample != null) {
                addBad(dataset.indexInWhole(index), badSample.file(), badSample.offset(), badSample.reason());
                return;
            }
            bytes += read;
            if (labels.size() < MOST_LABELS) {
                labels.merge(sample.label(), 1L, Long::sum);
            }
            for (String name : sample.fieldNames()) {
                measure(sample.field(name));
            }
        }

        private void addBad(long index, String file, long offset, String reason) {
            badCount++;
            bad.put(index, new BadEntry(index, file, offset < 0 ? null : Long.valueOf(offset), reason));
            if (bad.size() > MOST_LISTED) {
                bad.pollLastEntry();
            }
        }

        private void measure(Field field) {
            if (field.kind() == FieldKind.IMAGE && field.shape().length == 3) {
                smallest = smaller(smallest, field.shape());
                largest = larger(largest, field.shape());
            }
        }

        private static int @Nullable [] smaller(int @Nullable [] known, int @Nullable [] found) {
            return known == null || (found != null && pixels(found) < pixels(known)) ? found : known;
        }

        private static int @Nullable [] larger(int @Nullable [] known, int @Nullable [] found) {
            return known == null || (found != null && pixels(found) > pixels(known)) ? found : known;
        }

        private static long pixels(int[] shape) {
            return (long) shape[0] * shape[1];
        }

        void add(Findings other) {
            other.bad.forEach((index, sample) -> addBad(index, sample));
            badCount += other.badCount;
            bytes += other.bytes;
            restarts.add(other.restarts);
            other.labels.forEach((label, count) -> labels.merge(label, count, Long::sum));
            smallest = smaller(smallest, other.smallest);
            largest = larger(largest, other.largest);
        }

        private void addBad(long index, BadEntry sample) {
            bad.put(index, sample);
            if (bad.size() > MOST_LISTED) {
                bad.pollLastEntry();
            }
        }

        DatasetScan scan(long samples, boolean labelled) {
            return new DatasetScan(
                    samples,
                    badCount,
                    List.copyOf(bad.values()),
                    bytes,
                    labelled ? labels : Map.of(),
                    restarts.counts(),
                    extents(smallest),
                    extents(largest));
        }

        private static @Nullable List<Integer> extents(int @Nullable [] shape) {
            return shape == null ? null : List.of(shape[0], shape[1], shape[2]);
        }
    }
}
