package io.millrace.tutorial;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.StorageOptions;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * A format in one class: a file of records, each with one byte for the label and {@code size * size} grey pixels.
 *
 * <p>A line in {@code META-INF/services/io.millrace.dataset.DatasetFormat} registers it. Then a pipeline file can have
 * {@code dataset: {format: records, path: my.bin, size: 28}}. The options are checked, with line and key in error
 * messages, and the format is listed with the other formats.
 */
public final class RecordsFormat implements DatasetFormat {
    private static final Option<String> PATH = Option.of("path", OptionType.TEXT, "The file of records.");
    private static final Option<Integer> SIZE = Option.of(
                    "size", OptionType.INTEGER.where(size -> size >= 1, "at least 1"), "Rows and columns of an image.")
            .orElse(28);

    @Override
    public String name() {
        return "records";
    }

    @Override
    public String help() {
        return "Square grey images in one file, each behind its label.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(PATH, SIZE);
    }

    @Override
    public Dataset open(OptionValues options, StorageOptions storage) throws IOException {
        Path file = Path.of(options.get(PATH));
        int size = options.get(SIZE);
        byte[] bytes = Files.readAllBytes(file);
        int record = 1 + size * size;
        if (bytes.length % record != 0) {
            throw new DatasetException(
                    file + ": expected records of " + record + " bytes, found " + bytes.length + " bytes in all");
        }
        return new Records(file, size, bytes);
    }

    /** The reader of a file. Several threads may use it at once, because nothing changes after the constructor. */
    private static final class Records implements Dataset {
        private final Path file;
        private final int size;
        private final byte[] bytes;

        Records(Path file, int size, byte[] bytes) {
            this.file = file;
            this.size = size;
            this.bytes = bytes;
        }

        @Override
        public long size() {
            return bytes.length / (1 + size * size);
        }

        @Override
        public Sample read(long index) {
            int start = (int) index * (1 + size * size);
            // A field owns its array, so each sample has a copy.
            byte[] pixels = Arrays.copyOfRange(bytes, start + 1, start + 1 + size * size);
            return new Sample(index, file + "#" + index, bytes[start])
                    .put(Sample.IMAGE, Field.image(size, size, 1, pixels));
        }

        @Override
        public List<String> classes() {
            return List.of(); // this format has no names for its labels
        }

        @Override
        public boolean resident() {
            return true; // the file is read completely when it is opened, so reading ahead would gain nothing
        }

        @Override
        public void close() {
            // There is no open file.
        }
    }
}
