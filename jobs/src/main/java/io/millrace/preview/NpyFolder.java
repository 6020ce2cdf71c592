package io.millrace.preview;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.dataset.npy.NpyFile;
import io.millrace.file.WholeFiles;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.train.input.DeviceTransformPreview;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Roles;
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
 * A folder of samples as .npy files: each field after all stages, and the float inputs of the model after the device's transforms.
 * A file of an earlier preview with the same name is replaced; other files remain. One thread uses and closes the object.
 */
public final class NpyFolder implements AutoCloseable {
    private final Path folder;
    private final Roles roles;
    private final List<Component> deviceTransforms;

    /** The device's transforms by field, with the shape of rows for which they were created. */
    private final Map<String, DeviceTransformPreview> devices = new HashMap<>();

    private final Map<String, BatchSpec.Column> columns = new HashMap<>();

    private NpyFolder(Path folder, Roles roles, List<Component> deviceTransforms) {
        this.folder = folder;
        this.roles = roles;
        this.deviceTransforms = List.copyOf(deviceTransforms);
    }

    /** The names of the files of one field; {@code device} is null for fields that are not float inputs of the model. */
    public record FieldFiles(
            String field, String host, @Nullable String device) {}

    /**
     * Creates the folder if it does not exist.
     *
     * @throws PreviewException when the folder cannot be created or written
     */
    public static NpyFolder open(Path folder, Roles roles, List<Component> deviceTransforms) throws PreviewException {
        WritableFolder.make(folder);
        return new NpyFolder(folder, roles, deviceTransforms);
    }

    /** Returns the folder. */
    public Path path() {
        return folder;
    }

    /** Writes the fields of a sample; a quarantined sample has none. */
    public List<FieldFiles> write(SampleView view) throws IOException {
        Sample sample = view.sample();
        List<FieldFiles> files = new ArrayList<>();
        for (String name : sample.fieldNames()) {
            Field field = sample.field(name);
            String stem = String.format(Locale.ROOT, "%08d-%s", sample.position(), name);
            String host = stem + ".npy";
            WholeFiles.write(folder.resolve(host), NpyFile.of(field.dtype(), field.shape(), field.data()));
            String seen = null;
            if (!field.kind().varies()) {
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

    /** Returns the device's transforms for a field. They are created again when the shape differs from the previous sample's. */
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

    /** Writes index.json, which describes the content of each file. */
    public void index(byte[] json) throws IOException {
        WholeFiles.write(folder.resolve("index.json"), json);
    }

    @Override
    public void close() {
        devices.values().forEach(DeviceTransformPreview::close);
        devices.clear();
    }
}
