package io.millrace.train.input;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.device.AlignedMemory;
import io.millrace.device.BufferDevice;
import io.millrace.device.DeviceBatch;
import io.millrace.device.HostDevice;
import io.millrace.lifecycle.Handles;
import io.millrace.sample.DType;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Split;
import io.millrace.serve.OwnBuffers;
import io.millrace.train.FieldRows;
import io.millrace.train.Vectors;
import io.millrace.train.engine.TrainingRuntime;
import io.millrace.train.loss.Losses;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Recipe;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.RowStage;
import io.millrace.train.spec.RowStages;
import io.millrace.train.spec.RunLength;
import io.millrace.train.spec.TrainData;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.TrainSpecException;
import io.millrace.train.spec.Tuning;
import io.millrace.train.update.Optimizers;
import io.millrace.train.update.Schedules;
import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Compares what is written for clients with the inputs and targets that the trainer's host makes of the same rows. */
class DeliveredTransformsTest {
    private static final int ROWS = 6;
    private static final int CLASSES = 4;
    private static final Component TO_FLOAT = transform("ToFloat", Map.of());
    private static final Component NORMALIZE =
            transform("Normalize", Map.of("mean", List.of(0.4, 0.5, 0.6), "std", List.of(0.2, 0.3, 0.4)));
    private static final Component COLOR = transform("ConvertColor", Map.of());
    private static final Component MIX_UP = transform("MixUp", Map.of("alpha", 0.4));
    private static final Component CUT_MIX = transform("CutMix", Map.of());
    private static final Component CHOICE = transform("RandomChoice", Map.of("transforms", List.of("MixUp", "CutMix")));
    private static final BatchSpec IMAGES = new BatchSpec(List.of(FieldRows.IMAGE));
    private static final BatchSpec FIELDS = new BatchSpec(List.of(
            FieldRows.IMAGE,
            FieldRows.MASK,
            FieldRows.BITS,
            FieldRows.SEVERAL,
            FieldRows.VALUES,
            FieldRows.TEXT,
            FieldRows.CLASSES));

    private static Component transform(String name, Map<String, ?> options) {
        return part(DeviceTransforms.all(), name, options);
    }

    private static Component of(String name, String field, Map<String, ?> options) {
        Map<String, Object> all = new HashMap<>(options);
        all.put("field", field);
        return transform(name, all);
    }

    static TrainSpec spec(BatchSpec batch, Roles roles, Component... transforms) {
        return new TrainSpec(
                new TrainData(batch, roles, List.of(transforms)),
                new Recipe(
                        part(Models.all(), "mlp", Map.of("hidden", List.of(8L), "classes", (long) CLASSES)),
                        part(Losses.all(), "cross_entropy", Map.of()),
                        part(Optimizers.all(), "sgd", Map.of("learning_rate", 0.1)),
                        part(Schedules.all(), "constant", Map.of()),
                        1),
                new RunLength(1, 1),
                Tuning.ofThreads(1));
    }

    /** Writes several batches, with quarantined rows and without, and compares every changed field. */
    private static void assertSameAsTheTrainer(TrainSpec spec, int classes) throws IOException {
        DeliveredTransforms transforms = DeliveredTransforms.of(spec, classes);
        FieldRows rows = new FieldRows(Vectors.read("fields.safetensors"));
        BatchSpec columns = spec.data().input();
        DevicePlan plan = DevicePlan.of(spec);
        try (Handles handles = new Handles()) {
            PtNDManager manager = handles.add(TrainingRuntime.open(1));
            ModelInputs inputs = handles.add(new ModelInputs(spec, plan, ROWS, manager));
            Targets targets = handles.add(Targets.open(
                    spec, plan, Losses.create(spec.recipe().loss()), classes(plan, spec, classes), ROWS, manager));
            DeviceBatch host = handles.add(new HostDevice().allocate(columns, ROWS));
            BufferDevice device = handles.add(new BufferDevice(
                    new OwnBuffers(2, 64), Collections.nCopies(columns.columns().size(), BufferDevice.APART)));
            DeviceBatch served = handles.add(device.allocate(columns, ROWS));
            DeliveredRows delivered = handles.add(transforms.open(ROWS));
            for (int step = 0; step < 8; step++) {
                List<Integer> present = step % 2 == 0 ? List.of(0, 1, 2, 3, 4, 5) : List.of(0, 2, 5);
                rows.fill(host, step, Split.TRAIN, present);
                rows.fill(served, step, Split.TRAIN, present);
                Map<String, AlignedMemory> written = new HashMap<>();
                delivered.write(served, field -> {
                    int bytes = (field.equals(Roles.LABEL)
                                    ? transforms.label()
                                    : transforms.columns().column(field))
                            .rowBytes();
                    AlignedMemory memory = handles.add(AlignedMemory.allocate((long) ROWS * bytes, field));
                    written.put(field, memory);
                    return memory.address();
                });
                try (PtNDManager arrays = manager.newSubManager(Device.cpu())) {
                    List<RowMixture> mixtures = inputs.mixtures(host);
                    NDList made = inputs.make(host, mixtures, arrays);
                    int changed = 0;
                    for (int i = 0;
                            i < made.size() && i < spec.data().roles().inputs().size();
                            i++) {
                        String field = spec.data().roles().inputs().get(i);
                        if (transforms.changes(field)) {
                            assertBytes(written, field, inOrder(made.get(i), transforms.columns(), field));
                            changed++;
                        }
                    }
                    String target = spec.data().roles().target();
                    if (transforms.changes(target)
                            && !spec.data().roles().inputs().contains(target)) {
                        assertBytes(written, target, targets.make(host, mixtures, arrays));
                        changed++;
                    }
                    assertThat(written).hasSize(changed).isNotEmpty();
                }
            }
        }
    }

    private static int classes(DevicePlan plan, TrainSpec spec, int known) {
        Encoding encoding = plan.encodings().get(spec.data().roles().target());
        return encoding == null ? Math.max(known, CLASSES) : encoding.classes();
    }

    /** Returns images with channels last, as they are in memory. */
    private static NDArray inOrder(NDArray made, BatchSpec columns, String field) {
        return columns.column(field).pictures() ? made.transpose(0, 2, 3, 1) : made;
    }

    private static void assertBytes(Map<String, AlignedMemory> written, String field, NDArray expected) {
        float[] found = new float[(int) expected.size()];
        Objects.requireNonNull(written.get(field), field)
                .buffer()
                .asFloatBuffer()
                .get(found);
        assertThat(found).isEqualTo(expected.toFloatArray());
    }

    @Test
    void floatsOfImagesHaveTheTrainersBytes() throws IOException {
        for (List<Component> transforms : List.of(
                List.of(TO_FLOAT),
                List.of(TO_FLOAT, NORMALIZE),
                List.of(COLOR),
                List.of(COLOR, TO_FLOAT),
                List.of(TO_FLOAT, COLOR), // the engine computes the second
                List.of(NORMALIZE, TO_FLOAT, NORMALIZE))) {
            assertSameAsTheTrainer(spec(IMAGES, Roles.DEFAULT, transforms.toArray(Component[]::new)), 0);
        }
    }

    @Test
    void columnsOfOtherFormsAndTypesHaveTheTrainersBytes() throws IOException {
        Roles roles = new Roles(List.of("image", "mask", "bits", "several", "values"), "label");
        assertSameAsTheTrainer(
                spec(
                        FIELDS,
                        roles,
                        TO_FLOAT,
                        of("ToFloat", "mask", Map.of("scale", 4L)),
                        of("ToFloat", "bits", Map.of("scale", 2L)),
                        of("ToFloat", "several", Map.of("scale", 2L)),
                        of("Normalize", "values", Map.of("mean", List.of(1.5), "std", List.of(3L)))),
                0);
    }

    @Test
    void encodedClassesHaveTheTrainersBytes() throws IOException {
        assertSameAsTheTrainer(
                spec(IMAGES, Roles.DEFAULT, TO_FLOAT, transform("OneHot", Map.of("classes", (long) CLASSES))), 0);
        assertSameAsTheTrainer(
                spec(FIELDS, new Roles(List.of("image"), "mask"), transform("OneHot", Map.of("classes", 256L))), 0);
        assertSameAsTheTrainer(
                spec(FIELDS, new Roles(List.of("classes"), "bits"), of("MultiHot", "classes", Map.of("classes", 50L))),
                0);
        assertSameAsTheTrainer(
                spec(FIELDS, new Roles(List.of("image"), "classes"), transform("MultiHot", Map.of("classes", 50L))), 0);
    }

    @Test
    void mixedRowsAndTheirSoftLabelsHaveTheTrainersBytes() throws IOException {
        Component oneHot = transform("OneHot", Map.of("classes", (long) CLASSES));
        for (Component mix : List.of(MIX_UP, CUT_MIX, CHOICE)) {
            assertSameAsTheTrainer(spec(IMAGES, Roles.DEFAULT, TO_FLOAT, mix), CLASSES);
            assertSameAsTheTrainer(spec(IMAGES, Roles.DEFAULT, TO_FLOAT, oneHot, mix), 0);
            assertSameAsTheTrainer(spec(IMAGES, Roles.DEFAULT, mix), CLASSES);
        }
        assertSameAsTheTrainer(spec(IMAGES, Roles.DEFAULT, TO_FLOAT, MIX_UP, CUT_MIX), CLASSES);
    }

    @Test
    void columnsStateTheTypesAfterTheTransforms() {
        DeliveredTransforms mixed = DeliveredTransforms.of(spec(IMAGES, Roles.DEFAULT, TO_FLOAT, MIX_UP), 7);
        assertThat(mixed.columns().column("image"))
                .isEqualTo(new BatchSpec.Column(
                        "image", DType.FLOAT32, List.of(7, 5, 3), FieldKind.IMAGE, Form.DENSE, DType.UINT8));
        assertThat(mixed.label().describe()).isEqualTo("INT64[7] as FLOAT32");
        DeliveredTransforms masks = DeliveredTransforms.of(
                spec(FIELDS, new Roles(List.of("image"), "mask"), transform("OneHot", Map.of("classes", 3L))), 0);
        assertThat(masks.columns().column("mask"))
                .isEqualTo(new BatchSpec.Column(
                        "mask", DType.FLOAT32, List.of(3, 7, 5), FieldKind.TENSOR, Form.DENSE, DType.UINT8));
        assertThat(masks.columns().column("image")).isEqualTo(FieldRows.IMAGE);
        assertThat(masks.label().describe()).isEqualTo("INT64[]");
        assertThat(DeliveredTransforms.none(spec(FIELDS, Roles.DEFAULT, TO_FLOAT))
                        .columns())
                .isEqualTo(FIELDS);
        assertThatCode(mixed::requireEngine).doesNotThrowAnyException();
    }

    @Test
    void whatTheServerCannotApplyIsRefused() {
        assertRefused(
                spec(IMAGES, Roles.DEFAULT, TO_FLOAT, MIX_UP),
                "MixUp mixes labels, and the number of classes of 'label' is unknown: put {OneHot: {classes: number}}"
                        + " before it");
        assertRefused(
                spec(FIELDS, Roles.DEFAULT, MIX_UP, TO_FLOAT), "ToFloat comes after MixUp, which mixes finished rows");
        assertRefused(spec(new BatchSpec(List.of(FieldRows.TEXT)), Roles.DEFAULT, TO_FLOAT), "no field 'image'");
        assertRefused(
                spec(FIELDS, new Roles(List.of("text"), "label"), TO_FLOAT),
                "ToFloat needs rows of one length, found 'text' as UINT8[?]");
        TrainSpec masks = spec(FIELDS, new Roles(List.of("image"), "mask"), transform("OneHot", Map.of("classes", 9L)));
        assertRefused(
                masks.with(masks.data()
                        .withTransforms(List.of(masks.data().transforms().get(0), MIX_UP))),
                "MixUp mixes labels, one or several for a row; it does not fit a target for each pixel, like 'mask'");
        Component oneHot = transform("OneHot", Map.of("classes", (long) CLASSES));
        assertRefused(
                spec(new BatchSpec(List.of(FieldRows.IMAGE, FieldRows.MASK)), Roles.DEFAULT, oneHot, CUT_MIX),
                "CutMix mixes [image], but not 'mask', UINT8[7, 5, 1], which would no longer match: leave that field out"
                        + " with batch.fields");
        assertRefused(
                spec(IMAGES, Roles.DEFAULT).with(new RowStages(1, List.of(flip()), List.of())),
                "RandomHorizontalFlip runs on a device, and changes bytes there: expected 'place: server'");
        assertRefused(
                spec(FIELDS, new Roles(List.of("image", "text"), "label"), oneHot, MIX_UP),
                "MixUp mixes floats, but the model's input 'text' is UINT8[?]");
        assertRefused(
                spec(FIELDS, new Roles(List.of("values"), "label"), oneHot, CUT_MIX),
                "CutMix mixes images of one size");
    }

    private static RowStage flip() {
        return new RowStage(part(DeviceTransforms.all(), "RandomHorizontalFlip", Map.of()), 3);
    }

    private static void assertRefused(TrainSpec spec, String sentence) {
        assertThatThrownBy(() -> DeliveredTransforms.of(spec, 0))
                .isInstanceOf(TrainSpecException.class)
                .hasMessageContaining(sentence);
    }
}
