package io.millrace.dataset.tar;

import io.millrace.dataset.shard.ScanWindow;
import io.millrace.dataset.shard.ShardIndexer;
import io.millrace.dataset.shard.SharedIndexes;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** The indexer of archives. */
final class TarIndexer implements ShardIndexer<TarIndex> {
    private static final SharedIndexes<TarIndex> SHARED = new SharedIndexes<>();

    @Override
    public SharedIndexes<TarIndex> shared() {
        return SHARED;
    }

    @Override
    public String kind() {
        return "tar";
    }

    @Override
    public int version() {
        return 2;
    }

    @Override
    public TarIndex scan(ScanWindow file) throws IOException {
        return TarScan.scan(file);
    }

    @Override
    public void write(TarIndex index, DataOutputStream out) throws IOException {
        index.write(out);
    }

    @Override
    public TarIndex read(DataInputStream in) throws IOException {
        return TarIndex.read(in);
    }
}
