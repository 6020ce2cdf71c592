package io.millrace.inspect.reference;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.DatasetSpec;
import io.millrace.image.codec.ImageFormat;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.inspect.reference.ComparisonResult.Outcome;
import io.millrace.option.OptionValues;
import io.millrace.option.Services;
import io.millrace.sample.BadSample;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.transform.PlacedTransform;
import io.millrace.transform.TransformSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * The comparison of one file's values.
 *
 * <p>Tested by {@code ReferenceComparisonTest}.
 */
final class FileComparison {
    /** The name of the field that a column becomes. It is not "image", because then arrays of pixels become images. */
    private static final String VALUE = "value";

    private final FileKind kind;
    private final Path file;
    private final String name;
    private final ReferenceProcess reference;
    private final ComparisonResult result;

    /** The latest answer of the reference; null when it has ended. */
    private @Nullable JsonNode answer;

    /**
     * A value of Millrace.
     *
     * @param key the key of its sample; empty for a bad one
     * @param field the value; null if it is refused
     * @param refusal the reason why there is no value
     * @param fault whether Millrace failed instead of refusing the value
     */
    private record Read(String key, @Nullable Field field, String refusal, boolean fault) {
        static Read refused(String key, String reason) {
            return new Read(key, null, reason, false);
        }

        static Read failed(Throwable failure) {
            return new Read("", null, "Millrace failed: " + failure, true);
        }
    }

    private FileComparison(FileKind kind, Path file, String name, ReferenceProcess reference, ComparisonResult result) {
        this.kind = kind;
        this.file = file;
        this.name = name;
        this.reference = reference;
        this.result = result;
    }

    /**
     * Compares the values of a file.
     *
     * @param name the name of the file in the result
     * @return whether the reference still runs
     */
    static boolean run(FileKind kind, Path file, String name, ReferenceProcess reference, ComparisonResult result) {
        return new FileComparison(kind, file, name, reference, result).run();
    }

    private boolean run() {
        reference.ask(kind, file);
        answer = reference.next();
        boolean any = false;
        for (JsonNode first = answer; first != null && first.has("column"); first = answer) {
            any = true;
            column(first.path("column").asText(), first.path("keyed").asBoolean());
        }
        JsonNode end = answer == null ? null : answer.path("end");
        if (end != null && end.has("missing")) {
            result.skip("Python has no library '" + end.path("missing").asText() + "'", name);
            return true;
        }
        if (end == null) {
            wholeFileRefused("the Python process ended with exit code " + reference.exitCode());
        } else if (end.has("refused")) {
            wholeFileRefused(end.path("refused").asText());
        } else if (!any) {
            result.skip("the file has no columns of values", name);
            return true;
        }
        result.addFile(kind);
        return end != null;
    }

    /** Adds a file that the reference refuses as a whole. Without names of columns, Millrace opens it with its own. */
    private void wholeFileRefused(String reason) {
        if (kind == FileKind.IMAGE || kind == FileKind.SOUND) {
            add(name, decoded(encoded()), null, reason);
            return;
        }
        try (Dataset dataset = open(kind == FileKind.NPY ? Map.of(VALUE, fileName()) : null)) {
            result.add(
                    kind,
                    Outcome.REFUSED_BY_REFERENCE,
                    name,
                    reason + " (Millrace finds " + dataset.size() + " samples)");
        } catch (IOException e) {
            add(name, Read.refused("", String.valueOf(e.getMessage())), null, reason);
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
            add(name, Read.failed(e), null, reason);
        }
    }

    /** Returns the name of the file in the messages of a dataset. */
    private String path() {
        return (kind == FileKind.NPY ? file.toAbsolutePath() : file).toString();
    }

    private String fileName() {
        return String.valueOf(file.getFileName());
    }

    /** Compares a column, up to the last of its rows. */
    private void column(String column, boolean keyed) {
        if (kind == FileKind.IMAGE || kind == FileKind.SOUND) {
            for (JsonNode row = nextRow(); row != null; row = nextRow()) {
                compare(name, decoded(encoded()), row);
            }
            return;
        }
        try (Dataset dataset = open(Map.of(VALUE, column))) {
            if (keyed) {
                keyedRows(column, dataset);
            } else {
                rows(column, dataset);
            }
        } catch (IOException e) {
            refusedRows(column, Read.refused("", String.valueOf(e.getMessage())));
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
            refusedRows(column, Read.failed(e));
        }
    }

    /** Returns the next row of a column; null after the last, when {@link #answer} is what follows it. */
    private @Nullable JsonNode nextRow() {
        answer = reference.next();
        return answer == null || answer.has("column") || answer.has("end") ? null : answer;
    }

    /** Compares the rows with the samples of the same index. */
    private void rows(String column, Dataset dataset) {
        long index = 0;
        for (JsonNode row = nextRow(); row != null; row = nextRow()) {
            Read read = index < dataset.size() ? read(dataset, index) : Read.refused("", "there is no such sample");
            compare(name + " " + column + "[" + index + "]", read, row);
            index++;
        }
        if (answer != null && dataset.size() != index) {
            result.add(
                    kind,
                    Outcome.DIFFERENT,
                    name + " " + column,
                    "the other has " + index + " values, Millrace " + dataset.size());
        }
    }

    private void refusedRows(String column, Read refused) {
        long index = 0;
        for (JsonNode row = nextRow(); row != null; row = nextRow()) {
            compare(name + " " + column + "[" + index++ + "]", refused, row);
        }
    }

    /** Compares the rows with the samples of the same key, in their order. A bad sample has no key. */
    private void keyedRows(String column, Dataset dataset) {
        Map<String, Deque<JsonNode>> rows = new LinkedHashMap<>();
        for (JsonNode row = nextRow(); row != null; row = nextRow()) {
            rows.computeIfAbsent(row.path("key").asText(), key -> new ArrayDeque<>())
                    .add(row);
        }
        Deque<Read> bad = new ArrayDeque<>();
        for (long index = 0; index < dataset.size(); index++) {
            Read read = read(dataset, index);
            Deque<JsonNode> same = rows.getOrDefault(read.key, new ArrayDeque<>());
            if (read.field == null && read.key.isEmpty()) {
                bad.add(read);
            } else if (same.isEmpty()) {
                add(name + " " + read.key + "." + column, read, null, "the other does not find this member");
            } else {
                compare(name + " " + read.key + "." + column, read, same.remove());
            }
        }
        for (Map.Entry<String, Deque<JsonNode>> entry : rows.entrySet()) {
            for (JsonNode left : entry.getValue()) {
                Read read = bad.isEmpty() ? Read.refused("", "the member is not read") : bad.remove();
                compare(name + " " + entry.getKey() + "." + column, read, left);
            }
        }
    }

    /** Opens the file as a dataset that reads these fields, or the format's own with null. */
    private Dataset open(@Nullable Map<String, String> fields) throws IOException {
        DatasetFormat format = Services.of(DatasetFormat.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(candidate -> candidate.name().equals(kind.word()))
                .findFirst()
                .orElseThrow();
        Map<String, Object> options = new HashMap<>();
        options.put(
                "path",
                kind == FileKind.NPY ? String.valueOf(file.toAbsolutePath().getParent()) : file.toString());
        if (fields != null) {
            options.put("fields", fields);
        }
        if (kind == FileKind.TAR) {
            options.put("index_cache", "none");
        }
        return new DatasetSpec(format.name(), OptionValues.of(format.options(), options)).open();
    }

    private static Read read(Dataset dataset, long index) {
        try {
            Sample sample = dataset.read(index);
            // The key begins with the name of the archive.
            return new Read(sample.key().substring(sample.key().indexOf('/') + 1), sample.field(VALUE), "", false);
        } catch (IOException e) {
            return Read.refused("", String.valueOf(e.getMessage()));
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
            return Read.failed(e);
        }
    }

    /** Returns the content of an image or a sound. */
    private Read encoded() {
        try {
            Field field = Field.encoded(Files.readAllBytes(file));
            return new Read("", kind == FileKind.SOUND ? field.as(FieldKind.TENSOR) : field, "", false);
        } catch (IOException e) {
            return Read.refused("", "the file cannot be read: " + e.getMessage());
        }
    }

    /** Decodes an image or a sound as a pipeline does. */
    private static Read decoded(Read read) {
        if (read.field == null) {
            return read;
        }
        // Pillow turns TIFFs upright, and no other images.
        boolean upright = read.field.kind() == FieldKind.IMAGE && isTiff(read.field.data());
        TransformSpec spec = TransformSpec.of("decode", Map.of("exif", upright));
        Sample sample = new Sample(0, read.key, 0)
                .placeAt(0, 0, Split.TRAIN)
                .put(read.field.kind() == FieldKind.IMAGE ? Sample.IMAGE : VALUE, read.field);
        try (PlacedTransform decode = new PlacedTransform("decode", spec, read.key, 0, 0)) {
            decode.apply(sample);
            BadSample bad = sample.badSample();
            if (bad != null) {
                return Read.refused(read.key, bad.reason());
            }
            return new Read(
                    read.key, sample.field(read.field.kind() == FieldKind.IMAGE ? Sample.IMAGE : VALUE), "", false);
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
            return Read.failed(e);
        }
    }

    private static boolean isTiff(byte[] encoded) {
        try {
            return ImageFormat.of(encoded) == ImageFormat.TIFF;
        } catch (MalformedImageException e) {
            return false;
        }
    }

    private void compare(String place, Read read, JsonNode row) {
        if (row.has("refused")) {
            add(place, read, null, row.path("refused").asText());
            return;
        }
        add(place, read, digest(row), "");
        if (read.field != null && read.field.dtype() == DType.ENCODED && row.has("pixels")) {
            compare(place + " decoded", decoded(read), row.path("pixels"));
        }
    }

    private static ValueDigest digest(JsonNode row) {
        List<Integer> shape = new ArrayList<>();
        row.path("shape").forEach(extent -> shape.add(extent.asInt()));
        return new ValueDigest(
                row.path("kind").asText(), shape, row.path("sha256").asText());
    }

    /** Adds the outcome for a value. {@code expected} is null if the reference refuses it, with the reason {@code refusal}. */
    private void add(String place, Read read, @Nullable ValueDigest expected, String refusal) {
        if (read.fault) {
            result.add(kind, Outcome.DIFFERENT, place, read.refusal);
        } else if (read.field == null) {
            result.add(
                    kind,
                    expected == null ? Outcome.REFUSED_BY_BOTH : Outcome.REFUSED_BY_MILLRACE,
                    place,
                    read.refusal.replace(path(), name));
        } else if (expected == null) {
            result.add(kind, Outcome.REFUSED_BY_REFERENCE, place, refusal);
        } else {
            ValueDigest found = ValueDigest.of(read.field, expected.kind());
            boolean equal = found.equals(expected);
            result.add(
                    kind,
                    equal ? Outcome.EQUAL : Outcome.DIFFERENT,
                    place,
                    equal ? "" : "the other has " + expected + ", Millrace " + found);
        }
    }
}
