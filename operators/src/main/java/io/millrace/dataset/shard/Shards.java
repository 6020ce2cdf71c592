package io.millrace.dataset.shard;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.files.ParallelTasks;
import io.millrace.dataset.storage.RangedFile;
import io.millrace.dataset.storage.Storage.FileState;
import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The shards of a dataset, one after another, as one sequence of samples. The lost rest of a shard is one bad sample at
 * the shard's end. Safe for several threads.
 *
 * <p>Tested by {@code TarDatasetTest} and {@code TfRecordDatasetTest}.
 *
 * @param <T> the type of the index of one shard
 */
public final class Shards<T extends ShardIndex> implements Closeable {
    private final List<DataFile> files;
    private final List<T> indexes;
    private final OpenFiles open;
    private final SharedIndexes<T> shared;

    /** For each shard, the number of samples in it and in all shards before it. */
    private final long[] ends;

    private Shards(List<DataFile> files, List<T> indexes, SharedIndexes<T> shared) {
        this.shared = shared;
        this.files = List.copyOf(files);
        this.indexes = List.copyOf(indexes);
        this.open = new OpenFiles(files);
        this.ends = new long[files.size()];
        long end = 0;
        for (int shard = 0; shard < ends.length; shard++) {
            T index = indexes.get(shard);
            end += index.samples() + (index.loss().isPresent() ? 1 : 0);
            ends[shard] = end;
        }
    }

    /**
     * Indexes the files, several at a time.
     *
     * @throws DatasetException when a file does not have this format, or no file holds a sample; the message is a
     *     sentence for the user
     */
    public static <T extends ShardIndex> Shards<T> open(List<DataFile> files, ShardIndexer<T> indexer, IndexCache cache)
            throws IOException {
        List<T> indexes = ParallelTasks.map(files, file -> index(file, indexer, cache));
        if (indexes.stream().allMatch(index -> index.samples() == 0)) {
            throw new DatasetException("no samples in " + files.get(0).name()
                    + (files.size() > 1 ? " and " + (files.size() - 1) + " more files" : "")
                    + indexes.get(0)
                            .loss()
                            .map(loss -> ": at offset " + loss.offset() + " " + loss.reason())
                            .orElse(""));
        }
        return new Shards<>(files, indexes, indexer.shared());
    }

    private static <T extends ShardIndex> T index(DataFile file, ShardIndexer<T> indexer, IndexCache cache)
            throws IOException {
        FileState state = file.state();
        Optional<T> held = indexer.shared().find(file.name(), state);
        return held.isPresent()
                ? held.get()
                : indexer.shared()
                        .share(file.name(), state, cache.index(file, state, indexer, () -> scan(file, indexer)));
    }

    private static <T extends ShardIndex> T scan(DataFile shard, ShardIndexer<T> indexer) throws IOException {
        try (RangedFile file = shard.open()) {
            return indexer.scan(shard.local().isPresent() ? ScanWindow.local(file) : ScanWindow.remote(file));
        }
    }

    /**
     * The place of a sample.
     *
     * @param shard the number of the shard
     * @param index the index of that shard
     * @param sample the sample's number within the shard, less than {@link ShardIndex#samples()}
     */
    public record Located<T>(int shard, T index, int sample) {}

    /** Returns the number of samples. */
    public long size() {
        return ends.length == 0 ? 0 : ends[ends.length - 1];
    }

    /**
     * Finds a sample.
     *
     * @throws BadSampleException when the sample stands for the lost rest of a shard
     */
    public Located<T> locate(long index) throws BadSampleException {
        Objects.checkIndex(index, size());
        int found = Arrays.binarySearch(ends, index + 1);
        int shard = found < 0 ? -found - 1 : first(found);
        T shardIndex = indexes.get(shard);
        int sample = (int) (index - (shard == 0 ? 0 : ends[shard - 1]));
        if (sample == shardIndex.samples()) {
            throw shardIndex.loss().orElseThrow().badSample(files.get(shard).name());
        }
        return new Located<>(shard, shardIndex, sample);
    }

    /** Returns the first of the shards that end at the same sample. The others are empty. */
    private int first(int found) {
        int shard = found;
        while (shard > 0 && ends[shard - 1] == ends[found]) {
            shard--;
        }
        return shard;
    }

    /** Returns the shards' indexes in their order. */
    public List<T> indexes() {
        return indexes;
    }

    /** Returns a lease of the shard's file for a read. The caller closes the lease soon. */
    public OpenFiles.Lease lease(int shard) throws IOException {
        return open.lease(shard);
    }

    /** Returns a shard's name for people. */
    public String name(int shard) {
        return files.get(shard).name();
    }

    /** Returns the last part of a shard's name, which is a part of its samples' keys. */
    public String shortName(int shard) {
        return name(shard).substring(name(shard).lastIndexOf('/') + 1);
    }

    /** Returns the total size of all samples' contents in bytes. */
    public long contentBytes() {
        return indexes.stream().mapToLong(ShardIndex::contentBytes).sum();
    }

    @Override
    public void close() throws IOException {
        shared.removeUnused();
        open.close();
    }
}
