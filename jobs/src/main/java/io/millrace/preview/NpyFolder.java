package io.millrace.preview;

import io.millrace.batch.BatchSpec;
import io.millrace.file.WholeFiles;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.train.DeviceTransformPreview;
import io.millrace.train.TrainSpec.Part;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A folder of samples as .npy files: each field as it is packed into the batch, and the image as the model gets it. A
 * file of an earlier preview is replaced; others stay. Belongs to one thread, which closes it.
 */
public final class NpyFolder implements AutoCloseable {
    private final Path folder;
    private final List<Part> deviceTransforms;
    private @Nullable BatchSpec spec;
    private @Nullable DeviceTransformPreview device;

    private NpyFolder(Path folder, List<Part> deviceTransforms) {
        this.folder = folder;
        this.deviceTransforms = List.copyOf(deviceTransforms);
    }

    /** The files of one field of a sample, by their names in the folder; {@code device} is null but for the image. */
    public record FieldFiles(
            String field, String host, @Nullable String device) {}

    /**
     * Makes the folder where it is not there.
     *
     * @throws PreviewException when it cannot be made or written to, with a sentence
     */
    public static NpyFolder open(Path folder, List<Part> deviceTransforms) throws PreviewException {
        WritableFolder.make(folder);
        return new NpyFolder(folder, deviceTransforms);
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
            if (name.equals(Sample.IMAGE)) {
                seen = stem + "-device.npy";
                WholeFiles.write(folder.resolve(seen), onDevice(sample, field));
            }
            files.add(new FieldFiles(name, host, seen));
        }
        return files;
    }

    private byte[] onDevice(Sample sample, Field image) throws PreviewException {
        int[] shape = image.shape();
        try {
            float[] values = device(image).apply(image.data());
            return NpyFile.of(shape.length == 3 ? new int[] {shape[2], shape[0], shape[1]} : shape, values);
        } catch (IllegalArgumentException e) {
            throw new PreviewException(
                    "the device's transforms cannot work on " + sample.key() + " (" + image + "): " + e.getMessage(),
                    e);
        }
    }

    /** Samples mostly have one shape; where they differ, the transforms are made anew. */
    private DeviceTransformPreview device(Field image) {
        List<Integer> shape = Arrays.stream(image.shape()).boxed().toList();
        BatchSpec wanted = new BatchSpec(List.of(new BatchSpec.Column(Sample.IMAGE, image.dtype(), shape)));
        DeviceTransformPreview made = device;
        if (made == null || !wanted.equals(spec)) {
            close();
            made = new DeviceTransformPreview(wanted, deviceTransforms);
            device = made;
            spec = wanted;
        }
        return made;
    }

    /** Writes index.json, which says what each file holds. */
    public void index(byte[] json) throws IOException {
        WholeFiles.write(folder.resolve("index.json"), json);
    }

    @Override
    public void close() {
        if (device != null) {
            device.close();
            device = null;
        }
    }
}
