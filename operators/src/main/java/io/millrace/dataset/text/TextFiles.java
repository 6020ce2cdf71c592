package io.millrace.dataset.text;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.StoredLabels;
import io.millrace.dataset.fields.Labels;
import io.millrace.dataset.fields.TextErrors;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.files.SampleFile;
import io.millrace.dataset.shard.InflatedFiles;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.util.List;

/**
 * A dataset of files, each of which is a document. Files are not opened before they are read. Tested by {@code TextFormatTest}.
 *
 * @param files the files, at least one
 */
record TextFiles(List<DataFile> files, TextErrors errors) implements Dataset {
    TextFiles {
        files = List.copyOf(files);
    }

    @Override
    public long size() {
        return files.size();
    }

    @Override
    public Sample read(long index) throws IOException {
        DataFile file = files.get(Math.toIntExact(index));
        byte[] bytes = SampleFile.read(file, "a document");
        if (InflatedFiles.isCompressed(file.name())) {
            try {
                bytes = InflatedFiles.inflated(file.name(), bytes);
            } catch (DatasetException e) {
                BadSampleException bad = new BadSampleException(file.name(), 0, String.valueOf(e.getMessage()));
                bad.initCause(e);
                throw bad;
            }
        }
        return new Sample(index, file.name(), Labels.NONE)
                .put(Documents.FIELD, Documents.field(bytes, file.name(), 0, errors));
    }

    @Override
    public long label(long index) {
        return Labels.NONE;
    }

    @Override
    public StoredLabels labels() {
        return Documents.NO_LABELS;
    }

    @Override
    public List<String> classes() {
        return List.of();
    }

    @Override
    public void close() {}
}
