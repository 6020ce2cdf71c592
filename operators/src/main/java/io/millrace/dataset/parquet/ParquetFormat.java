package io.millrace.dataset.parquet;

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

/** The format of Parquet files. */
public final class ParquetFormat implements DatasetFormat {
    private static final List<String> EXTENSIONS = List.of("parquet", "parq", "pq");

    @Override
    public String name() {
        return "parquet";
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of("parquet", "huggingface", "hf", "datasets");
    }

    @Override
    public String help() {
        return "Parquet files: Hugging Face's image and label columns, and plain columns of bytes, text and numbers.";
    }

    @Override
    public List<String> extensions() {
        return EXTENSIONS;
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
    public Dataset open(OptionValues options, StorageOptions storage) throws IOException {
        LoadedCache<ColumnGroup.CacheKey, ColumnGroup.Loaded> cache =
                new LoadedCache<>(CacheOption.bytes(options.get(CacheOption.CACHE_MIB)), ColumnGroup.Loaded::bytes);
        List<DataFile> files = DataFiles.find(options.get(DataFiles.PATH), EXTENSIONS, storage);
        List<ParquetTable> tables = Tables.openRanged(files, file -> ParquetTable.open(file, cache));
        return RemarkedDataset.of(
                TableDataset.of(tables, options, Tables.bytes(files)),
                SplitNames.remarkOnFiles(options.get(DataFiles.PATH), files));
    }
}
