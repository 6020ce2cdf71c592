package io.millrace.preview;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.dataset.npy.NpyFile;
import io.millrace.file.WholeFiles;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.train.input.DeviceTransformPreview;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.Component;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A folder of samples as .npy files: each field as its stages leave it, and the model's inputs of floats as it gets them. A
 * file of an earlier preview is replaced; others stay. Belongs to one thread, which closes it.
 */
public final class NpyFolder implements AutoCloseable {
    private final Path folder;
    private final Roles roles;
    private final List<Component> deviceTransforms;

    /** By field, with the rows that each was made for. */
    private final Map<String, DeviceTransformPreview> devices = new HashMap<>();

    private final Map<String, BatchSpec.Column> columns = new HashMap<>();

    private NpyFolder(Path folder, Roles roles, List<Component> deviceTransforms) {
        this.folder = folder;
        this.roles = roles;
        this.deviceTransforms = List.copyOf(deviceTransforms);
    }

    /** The files of one field of a sample, by their names in the folder; {@code device} is null but for inputs of floats. */
    public record FieldFiles(
            String field, String host, @Nullable String device) {}

    /**
     * Makes the folder where it is not there.
     *
     * @throws PreviewException when it cannot be made or written to, with a sentence
     */
    public static NpyFolder open(Path folder, Roles roles, List<Component> deviceTransforms) throws PreviewException {
        WritableFolder.make(folder);
        return new NpyFolder(folder, roles, deviceTransforms);
    }

    /** Where the files are. */
    public Path path() {
        return folder;
    }

    /** Writes the fields of a sample; a quarantined one has none. */
    public List<FieldFiles> write(SampleView view) throws IOException {
        Sample sample = view.sample();
        List<FieldFiles> files = new ArrayList<>();
        for (String name : sample.fieldNames()) {
            Field field = sample.field(name);
            String stem = String.format(Locale.ROOT, "%08d-%s", sample.position(), name);
            String host = stem + ".npy";
            WholeFiles.write(folder.resolve(host), NpyFile.of(field.dtype(), field.shape(), field.data()));
            String seen = null;
            if (field.kind() != FieldKind.RAGGED) {
                byte[] onDevice = onDevice(sample, name, field);
                if (onDevice != null) {
                    seen = stem + "-device.npy";
                    WholeFiles.write(folder.resolve(seen), onDevice);
                }
            }
            files.add(new FieldFiles(name, host, seen));
        }
        return files;
    }

    private byte @Nullable [] onDevice(Sample sample, String name, Field field) throws PreviewException {
        List<Integer> shape = Arrays.stream(field.shape()).boxed().toList();
        try {
            BatchSpec.Column column = new BatchSpec.Column(name, field.dtype(), shape, field.kind(), Form.DENSE);
            if (!DeviceTransformPreview.shows(column, roles, deviceTransforms)) {
                return null;
            }
            float[] values = device(column).apply(field.data());
            return NpyFile.of(
                    column.pictures() ? new int[] {shape.get(2), shape.get(0), shape.get(1)} : field.shape(), values);
        } catch (IllegalArgumentException e) {
            throw new PreviewException(
                    "the device's transforms cannot work on " + sample.key() + " (" + field + "): " + e.getMessage(),
                    e);
        }
    }

    /** Samples mostly have one shape; where they differ, the transforms are made anew. */
    private DeviceTransformPreview device(BatchSpec.Column column) {
        DeviceTransformPreview made = devices.get(column.name());
        if (made != null && column.equals(columns.get(column.name()))) {
            return made;
        }
        if (made != null) {
            made.close();
        }
        DeviceTransformPreview fresh = new DeviceTransformPreview(column, roles, deviceTransforms);
        devices.put(column.name(), fresh);
        columns.put(column.name(), column);
        return fresh;
    }

    /** Writes index.json, which says what each file holds. */
    public void index(byte[] json) throws IOException {
        WholeFiles.write(folder.resolve("index.json"), json);
    }

    @Override
    public void close() {
        devices.values().forEach(DeviceTransformPreview::close);
        devices.clear();
    }
}
