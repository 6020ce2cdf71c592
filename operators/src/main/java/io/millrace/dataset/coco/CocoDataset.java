package io.millrace.dataset.coco;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.StoredLabels;
import io.millrace.dataset.files.SampleFile;
import io.millrace.dataset.storage.Storage;
import io.millrace.file.HeapLimit;
import io.millrace.sample.Annotation.Form;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A dataset of pictures with annotations. The annotations are in memory, and a picture is read when its sample is read. */
final class CocoDataset implements Dataset {
    /** The label of all samples, which no class has, because a picture has several objects. */
    private static final long NO_LABEL = -1;

    /** The largest number of steps for drawing the masks of a picture, which takes some seconds. */
    private static final long MOST_STEPS = 1L << 31;

    private final Storage storage;
    private final CocoIndex index;
    private final List<CocoFormat.Choice> fields;

    CocoDataset(Storage storage, CocoIndex index, List<CocoFormat.Choice> fields) throws IOException {
        this.storage = storage;
        this.index = index;
        this.fields = List.copyOf(fields);
        for (CocoFormat.Choice field : fields) {
            requireNumbers(field, CocoColumn.CATEGORY_IDS, index.ids().categories());
            requireNumbers(field, CocoColumn.ANNOTATION_IDS, index.ids().annotations());
        }
        if (storage.kind("") != Storage.Kind.DIRECTORY) {
            throw new DatasetException("dataset.path: expected the folder of the pictures, found "
                    + (storage.kind("") == Storage.Kind.FILE ? "the file " : "no folder ") + storage.display(""));
        }
    }

    private static void requireNumbers(CocoFormat.Choice field, CocoColumn column, CocoIds ids)
            throws DatasetException {
        if (field.column() == column && ids.areTexts()) {
            throw new DatasetException("dataset.fields: expected no field " + column.text()
                    + ", because the ids of " + ids.plural() + " in the file are texts, such as '" + ids.text(0)
                    + "', and a field of objects has numbers"
                    + (column == CocoColumn.CATEGORY_IDS ? "; labels has the numbers of the classes" : ""));
        }
    }

    @Override
    public long size() {
        return index.size();
    }

    @Override
    public Sample read(long number) throws IOException {
        int image = (int) Objects.checkIndex(number, size());
        String path = index.file(image);
        requireGood(image);
        int[] objects = index.objects(image);
        Sample sample = new Sample(number, path, NO_LABEL);
        for (CocoFormat.Choice field : fields) {
            Field values =
                    switch (field.column()) {
                        case IMAGE -> picture(path);
                        case IMAGE_ID -> imageId(image);
                        case CAPTIONS -> captions(index.rows(image));
                        default -> ofObjects(field, image, objects);
                    };
            sample.put(field.name(), values.annotated(field.annotation()));
        }
        return sample;
    }

    private void requireGood(int image) throws BadSampleException {
        String problem = index.problem(image);
        if (problem != null) {
            throw new BadSampleException(index.file(image), -1, problem);
        }
    }

    private Field picture(String path) throws IOException {
        return Field.encoded(SampleFile.read(storage, CocoPaths.require(path), "", "the annotations file names it"));
    }

    /** Returns the id of a picture, a number or a text as in the file. */
    private Field imageId(int image) {
        CocoIds ids = index.ids().images();
        if (ids.areTexts()) {
            return Field.text(ids.text(index.imageId(image)).getBytes(StandardCharsets.UTF_8));
        }
        byte[] bytes = new byte[Long.BYTES];
        little(bytes).putLong(index.imageId(image));
        return Field.of(DType.INT64, new int[0], bytes);
    }

    private Field captions(int[] rows) {
        StringBuilder text = new StringBuilder();
        for (int row : rows) {
            String caption = index.annotations().captions.get(row);
            if (!caption.isEmpty()) {
                text.append(text.isEmpty() ? "" : "\n").append(caption.strip());
            }
        }
        return Field.text(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private Field ofObjects(CocoFormat.Choice field, int image, int[] objects) throws BadSampleException {
        CocoIndex.Objects all = index.annotations();
        int[] shape = {objects.length};
        switch (field.column()) {
            case BOXES -> {
                return boxes(field.form(), objects);
            }
            case MASKS -> {
                return masks(image, objects);
            }
            case KEYPOINTS -> {
                return keypoints(image, objects);
            }
            case AREA -> {
                byte[] bytes = new byte[objects.length * Float.BYTES];
                ByteBuffer areas = little(bytes);
                for (int object : objects) {
                    areas.putFloat(all.areas[object]);
                }
                return Field.of(DType.FLOAT32, shape, bytes).as(FieldKind.RAGGED);
            }
            default -> {
                byte[] bytes = new byte[objects.length * Long.BYTES];
                ByteBuffer numbers = little(bytes);
                for (int object : objects) {
                    numbers.putLong(
                            switch (field.column()) {
                                case LABELS -> index.label(object);
                                case CATEGORY_IDS -> all.categories[object];
                                case ISCROWD -> all.isCrowd[object] ? 1 : 0;
                                case ANNOTATION_IDS -> all.ids[object];
                                default -> throw new IllegalStateException(field.column() + " is no whole number");
                            });
                }
                return Field.of(DType.INT64, shape, bytes).as(FieldKind.RAGGED);
            }
        }
    }

    private Field boxes(Form form, int[] objects) {
        byte[] bytes = new byte[objects.length * CocoBuilder.BOX * Float.BYTES];
        ByteBuffer boxes = little(bytes);
        for (int object : objects) {
            for (int i = 0; i < CocoBuilder.BOX; i++) {
                int at = CocoBuilder.BOX * object + i % 2;
                double begin = index.annotations().boxes[at];
                double size = index.annotations().boxes[at + 2];
                double first = form == Form.CXCYWH ? begin + size / 2 : begin;
                boxes.putFloat((float) (i < 2 ? first : form == Form.XYXY ? begin + size : size));
            }
        }
        return Field.of(DType.FLOAT32, new int[] {objects.length, CocoBuilder.BOX}, bytes)
                .as(FieldKind.RAGGED);
    }

    private Field masks(int image, int[] objects) throws BadSampleException {
        int height = index.height(image);
        int width = index.width(image);
        String path = index.file(image);
        if (height < 1 || width < 1 || (long) height * width > Integer.MAX_VALUE - 1) {
            throw new BadSampleException(
                    path,
                    -1,
                    "expected the height and the width of the picture in the annotations file, for its masks, found "
                            + height + " and " + width);
        }
        String refusal = HeapLimit.refusalOfArray("masks", (long) height * width * Math.max(1, objects.length));
        if (!refusal.isEmpty()) {
            throw new BadSampleException(path, -1, refusal);
        }
        long steps = 0;
        for (int object : objects) {
            steps += index.annotations().outlines.get(object).steps(height, width);
            requireSteps(path, steps);
        }
        byte[] masks = new byte[height * width * objects.length];
        for (int i = 0; i < objects.length; i++) {
            index.annotations().outlines.get(objects[i]).draw(masks, i * height * width, height, width);
        }
        return Field.of(DType.BOOL, new int[] {objects.length, height, width}, masks)
                .as(FieldKind.RAGGED);
    }

    private static void requireSteps(String path, long steps) throws BadSampleException {
        if (steps > MOST_STEPS) {
            throw new BadSampleException(
                    path,
                    -1,
                    "expected polygons that can be drawn in " + MOST_STEPS + " steps as segmentation, found " + steps);
        }
    }

    /** Returns the points of objects. An object without points has zeros, as COCO has them for points that are not labelled. */
    private Field keypoints(int image, int[] objects) throws BadSampleException {
        int numbers = index.points() * CocoBuilder.POINT;
        String refusal = HeapLimit.refusalOfArray("keypoints", (long) objects.length * numbers * Float.BYTES);
        if (!refusal.isEmpty()) {
            throw new BadSampleException(index.file(image), -1, refusal);
        }
        byte[] bytes = new byte[objects.length * numbers * Float.BYTES];
        ByteBuffer points = little(bytes);
        for (int object : objects) {
            float[] found = index.annotations().keypoints.get(object);
            for (int i = 0; i < numbers; i++) {
                points.putFloat(i < found.length ? found[i] : 0);
            }
        }
        return Field.of(DType.FLOAT32, new int[] {objects.length, index.points(), CocoBuilder.POINT}, bytes)
                .as(FieldKind.RAGGED);
    }

    private static ByteBuffer little(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public long label(long number) {
        return NO_LABEL;
    }

    @Override
    public long[] shownClasses(long number) throws BadSampleException {
        int image = (int) Objects.checkIndex(number, size());
        requireGood(image);
        return Arrays.stream(index.objects(image))
                .mapToLong(index::label)
                .distinct()
                .toArray();
    }

    @Override
    public List<String> classes() {
        return index.classes();
    }

    @Override
    public @Nullable String classesOfObjects() {
        return fields.stream()
                .filter(field -> field.column() == CocoColumn.LABELS)
                .map(CocoFormat.Choice::name)
                .findFirst()
                .orElse(null);
    }

    @Override
    public String nameOf(long number) {
        return index.file((int) Objects.checkIndex(number, size()));
    }

    @Override
    public StoredLabels labels() {
        return new StoredLabels(
                StoredLabels.State.NOT_NAMED,
                List.of("the field of the objects' classes (labels)"),
                Optional.of("set train.target to it, and convert it with the device transform MultiHot"));
    }

    @Override
    public List<String> remarks() {
        return index.remarks();
    }

    @Override
    public void close() {
        // Each read opens and closes its file.
    }
}
