package io.millrace.dataset.arrow;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.RemarkedDataset;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.columns.CacheOption;
import io.millrace.dataset.columns.LoadedCache;
import io.millrace.dataset.columns.TableDataset;
import io.millrace.dataset.columns.Tables;
import io.millrace.dataset.fields.FieldSources;
import io.millrace.dataset.fields.Labels;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.files.DataFiles;
import io.millrace.dataset.files.SplitNames;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import java.io.IOException;
import java.util.List;

/** The format of Arrow IPC files and streams, and of the folders that Hugging Face's {@code save_to_disk} writes. */
public final class ArrowFormat implements DatasetFormat {
    @Override
    public String name() {
        return "arrow";
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of("arrow", "huggingface", "hf", "datasets", "feather", "ipc");
    }

    @Override
    public String help() {
        return "Arrow IPC files and streams, Feather 2, and datasets that Hugging Face's library saved or cached.";
    }

    @Override
    public List<String> extensions() {
        return SavedDataset.EXTENSIONS;
    }

    @Override
    public boolean storesRows() {
        return true;
    }

    @Override
    public List<Option<?>> options() {
        return List.of(DataFiles.PATH, FieldSources.FIELDS, Labels.CLASSES, CacheOption.CACHE_MIB);
    }

    @Override
    public Dataset open(OptionValues options, StorageOptions storageOptions) throws IOException {
        LoadedCache<IpcBuffers.CacheKey, byte[]> cache =
                new LoadedCache<>(CacheOption.bytes(options.get(CacheOption.CACHE_MIB)), part -> part.length);
        List<DataFile> files = SavedDataset.find(options.get(DataFiles.PATH), storageOptions);
        List<IpcTable> tables = Tables.openRanged(files, file -> IpcTable.open(file, cache));
        return RemarkedDataset.of(
                TableDataset.of(tables, options, Tables.bytes(files)),
                SplitNames.remarkOnFiles(options.get(DataFiles.PATH), files));
    }
}
