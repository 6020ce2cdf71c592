package io.millrace.dataset.hdf5;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.RemarkedDataset;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.columns.CacheOption;
import io.millrace.dataset.columns.LoadedCache;
import io.millrace.dataset.columns.Table.Column;
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
import java.util.stream.Collectors;

/** The format of HDF5 files. */
public final class Hdf5Format implements DatasetFormat {
    private static final List<String> EXTENSIONS = List.of("h5", "hdf5", "hdf", "mat");

    @Override
    public String name() {
        return "hdf5";
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of("hdf5", "h5", "hdf", "h5py", "mat");
    }

    @Override
    public String help() {
        return "HDF5 files. By default the datasets images and labels are read. A dataset may be contiguous, or in"
                + " chunks with gzip.";
    }

    @Override
    public List<String> extensions() {
        return EXTENSIONS;
    }

    @Override
    public List<Option<?>> options() {
        return List.of(DataFiles.PATH, FieldSources.FIELDS, Labels.CLASSES, CacheOption.CACHE_MIB);
    }

    @Override
    public Dataset open(OptionValues options, StorageOptions storage) throws IOException {
        LoadedCache<Chunks.CacheKey, byte[]> cache =
                // A chunk that was never written has no bytes, but takes memory as an entry.
                new LoadedCache<>(
                        CacheOption.bytes(options.get(CacheOption.CACHE_MIB)), chunk -> Math.max(chunk.length, 64));
        Hdf5Choice choice = new Hdf5Choice(options);
        List<DataFile> files = DataFiles.find(options.get(DataFiles.PATH), EXTENSIONS, storage);
        List<Hdf5Table> tables = Tables.open(files, file -> Hdf5Table.open(file, choice, cache));
        Dataset dataset = TableDataset.of(
                tables,
                first -> choice.selection(
                        first.columns().stream().map(Column::name).collect(Collectors.toSet())),
                options,
                Tables.bytes(files));
        return RemarkedDataset.of(dataset, SplitNames.remarkOnFiles(options.get(DataFiles.PATH), files));
    }
}
