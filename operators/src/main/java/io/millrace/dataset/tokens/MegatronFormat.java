package io.millrace.dataset.tokens;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.RemarkedDataset;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.files.DataFiles;
import io.millrace.dataset.files.ParallelTasks;
import io.millrace.dataset.shard.OpenFiles;
import io.millrace.dataset.storage.Storage;
import io.millrace.dataset.storage.Storage.Kind;
import io.millrace.dataset.tokens.MegatronStore.Pair;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import io.millrace.sample.Counted;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The format of Megatron-LM's tokenized documents, pairs of files {@code .bin} and {@code .idx}. */
public final class MegatronFormat implements DatasetFormat {
    private static final String INDEX = ".idx";
    private static final String IDS = ".bin";

    @Override
    public String name() {
        return "megatron";
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of("megatron", "mmap", "mmididx", "indexed_dataset", "nemo");
    }

    @Override
    public String help() {
        return "Documents of token ids in pairs of files .bin and .idx, as Megatron-LM's preprocess_data.py writes them. The"
                + " field tokens holds the ids as int32. path names the .idx or .bin files, or a pair without its extension.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(DataFiles.PATH);
    }

    @Override
    public Dataset open(OptionValues options, StorageOptions storage) throws IOException {
        List<String> paths = new ArrayList<>();
        for (String path : options.get(DataFiles.PATH)) {
            paths.add(index(path, storage));
        }
        List<DataFile> indexes = DataFiles.find(paths, List.of("idx"), storage);
        List<DataFile> files = new ArrayList<>();
        for (DataFile index : indexes) {
            files.add(ids(index, storage));
        }
        List<MegatronFile> opened = ParallelTasks.map(indexes, MegatronFile::open);
        List<Pair> pairs = new ArrayList<>();
        List<String> remarks = new ArrayList<>();
        for (int number = 0; number < files.size(); number++) {
            DataFile file = files.get(number);
            pairs.add(pair(opened.get(number), file.name(), file.state().size(), remarks));
        }
        return RemarkedDataset.of(new TokenDataset(new MegatronStore(pairs, new OpenFiles(files))), remarks);
    }

    /** Returns the path of the index for a path of one of the two files, or of a pair as Megatron's own options name it. */
    private static String index(String path, StorageOptions storage) throws IOException {
        if (path.endsWith(IDS)) {
            return beside(path, path.substring(0, path.length() - IDS.length()), storage);
        }
        if (!path.endsWith(INDEX)
                && Storage.of(path, storage).kind("") == Kind.MISSING
                && Storage.of(path + IDS, storage).kind("") == Kind.FILE) {
            return beside(path + IDS, path, storage);
        }
        boolean isPair = !path.endsWith(INDEX)
                && Storage.of(path, storage).kind("") == Kind.MISSING
                && Storage.of(path + INDEX, storage).kind("") == Kind.FILE;
        return isPair ? path + INDEX : path;
    }

    /** Returns the path of the index of a file with ids, which may be a pattern. */
    private static String beside(String ids, String pair, StorageOptions storage) throws IOException {
        String index = pair + INDEX;
        if (Storage.of(ids, storage).kind("") == Kind.FILE
                && Storage.of(index, storage).kind("") == Kind.MISSING) {
            throw new DatasetException("no index " + index + " for the token ids " + ids
                    + "; expected an .idx file beside each .bin file; format: tokens reads ids without an index");
        }
        return index;
    }

    /** Returns the file with the ids beside an index. */
    private static DataFile ids(DataFile index, StorageOptions storage) throws IOException {
        String name = index.name();
        if (!name.endsWith(INDEX)) {
            throw new DatasetException(name + ": expected the path of a file ending in .idx or .bin");
        }
        String path = index.path();
        DataFile file = path.isEmpty()
                ? new DataFile(Storage.of(sibling(name), storage), "")
                : new DataFile(index.storage(), sibling(path));
        if (file.storage().kind(file.path()) != Kind.FILE) {
            throw new DatasetException("no file " + file.name() + " for the index " + name
                    + "; expected the token ids in a .bin file beside each .idx file");
        }
        return file;
    }

    private static String sibling(String index) {
        return index.substring(0, index.length() - INDEX.length()) + IDS;
    }

    private static Pair pair(MegatronFile index, String name, long bytes, List<String> remarks)
            throws DatasetException {
        long last = index.sequences() - 1;
        long expected =
                index.offset(last) + (long) index.length(last) * index.type().bytes();
        if (bytes < expected) {
            throw new DatasetException(name + " is cut off: the last sequence of " + index.name() + " ends at offset "
                    + expected + ", found the end of the file at " + bytes);
        }
        if (bytes > expected) {
            remarks.add(name + " has " + Counted.of(bytes - expected, "byte") + " after the last sequence of "
                    + index.name()
                    + ", which are not read: its index may be that of another file, or its writer was stopped");
        }
        if (!index.hasDocuments()) {
            remarks.add(index.name() + " lists no documents, so each sequence is read as a document, "
                    + Counted.of(index.sequences(), "sequence") + " in all");
        }
        return new Pair(index, name, bytes);
    }
}
