package io.millrace.pack;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.lifecycle.Handles;
import io.millrace.metrics.StageMetrics;
import io.millrace.sample.BadSample;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.transform.PlacedTransform;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The packing of tasks, one after another. It is not thread-safe. The caller closes the dataset, after this.
 *
 * <p>Tested by {@code PackCommandITCase}.
 */
final class PackTask implements Closeable {
    /**
     * The maximum bytes of a shard apart from its samples: the last block of a tar file (10 kB), or the schema and
     * footer of an Arrow file.
     */
    private static final int OVERHEAD_BYTES = 12_288;

    private final PackSpec spec;
    private final PackFolder folder;
    private final Dataset dataset;
    private final Handles open = new Handles();
    private final List<PlacedTransform> transforms;
    private final StageMetrics metrics;
    private final RestartWriter restarts;

    /** The names of the classes; empty if the samples have no labels. */
    private final Optional<List<String>> classes;

    PackTask(PackSpec spec, PackFolder folder, Dataset dataset, StageMetrics metrics) throws IOException {
        this.spec = spec;
        this.folder = folder;
        this.dataset = dataset;
        this.metrics = metrics;
        this.restarts = new RestartWriter(spec);
        this.classes = dataset.labels().isPresent() ? Optional.of(dataset.classes()) : Optional.empty();
        this.transforms = transforms(spec, open);
    }

    /**
     * Returns the transforms. Random transforms are allowed in a pack, although they are unusual, and use seed 0.
     *
     * @param open gets the transforms, to close them
     */
    static List<PlacedTransform> transforms(PackSpec spec, Handles open) {
        List<PlacedTransform> placed = new ArrayList<>();
        for (int i = 0; i < spec.transforms().size(); i++) {
            placed.add(open.add(new PlacedTransform(
                    spec.transforms().get(i).name(),
                    spec.transforms().get(i),
                    spec.dataset().path(),
                    0,
                    i)));
        }
        return placed;
    }

    /** Packs samples {@code from} to {@code end - 1} and writes the record of the task. */
    void pack(long task, long from, long end) throws IOException {
        List<TaskRecord.Shard> shards = new ArrayList<>();
        List<TaskRecord.Bad> bad = new ArrayList<>();
        OpenShard shard = null;
        try {
            for (long index = from; index < end; index++) {
                metrics.received();
                Sample sample = read(index, bad);
                if (sample == null) {
                    metrics.failed();
                    metrics.worked(0);
                    metrics.handedOn();
                    continue;
                }
                try {
                    restarts.apply(sample);
                    long bytes = spec.format().bytes(sample);
                    if (shard != null && !shard.fits(bytes)) {
                        shards.add(shard.finish());
                        shard = null;
                    }
                    if (shard == null) {
                        String part = String.format(
                                Locale.ROOT,
                                "%06d-%d.%s",
                                task,
                                shards.size(),
                                spec.format().extension());
                        shard = new OpenShard(part, index);
                    }
                    shard.add(sample, bytes);
                    metrics.worked(bytes(sample));
                } catch (MalformedImageException e) {
                    bad.add(new TaskRecord.Bad(
                            dataset.indexInWhole(index), "pack", sample.key(), e.offset(), e.reason()));
                    metrics.failed();
                    metrics.worked(0);
                }
                metrics.handedOn();
            }
            if (shard != null) {
                shards.add(shard.finish());
                shard = null;
            }
        } catch (IOException | RuntimeException e) {
            if (shard != null) {
                shard.abandon(e);
            }
            throw e;
        }
        folder.finish(new TaskRecord(task, shards, bad, restarts.takeCounts()));
    }

    private @Nullable Sample read(long index, List<TaskRecord.Bad> bad) throws IOException {
        try {
            Sample sample = dataset.read(index).placeAt(index, 0, Split.TRAIN);
            for (PlacedTransform transform : transforms) {
                if (!transform.apply(sample)) {
                    break;
                }
            }
            BadSample badSample = sample.badSample();
            if (badSample == null) {
                return sample;
            }
            bad.add(new TaskRecord.Bad(
                    dataset.indexInWhole(index),
                    badSample.stage(),
                    badSample.file(),
                    badSample.offset(),
                    badSample.reason()));
        } catch (BadSampleException e) {
            bad.add(new TaskRecord.Bad(dataset.indexInWhole(index), "read", e.file(), e.offset(), e.reason()));
        }
        return null;
    }

    private static long bytes(Sample sample) {
        long bytes = 0;
        for (String name : sample.fieldNames()) {
            bytes += sample.field(name).data().length;
        }
        return bytes;
    }

    @Override
    public void close() {
        open.close();
    }

    /** A shard that is being written. */
    private final class OpenShard {
        private final String part;
        private final long first;
        private final MeteredStream stream;
        private final ShardWriter writer;
        private long samples;
        private long planned = OVERHEAD_BYTES;

        OpenShard(String part, long first) throws IOException {
            this.part = part;
            this.first = first;
            this.stream = new MeteredStream(folder.create(part));
            this.writer = spec.format().open(stream, classes);
        }

        boolean fits(long bytes) {
            return planned + bytes <= spec.shardBytes();
        }

        void add(Sample sample, long bytes) throws IOException {
            writer.add(sample);
            planned += bytes;
            samples++;
        }

        TaskRecord.Shard finish() throws IOException {
            writer.finish();
            writer.close();
            return new TaskRecord.Shard(part, first, samples, stream.bytes(), stream.sha256());
        }

        /** Closes the file after a failure; the shard will be written again. */
        void abandon(Exception why) {
            Handles.closeAfter(why, writer);
        }
    }
}
