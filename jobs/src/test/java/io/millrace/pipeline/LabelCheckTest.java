package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import java.awt.image.BufferedImage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Labels that nobody has chosen never reach a training. {@code label_vectors.py} made the files. */
class LabelCheckTest {
    private static final Path VECTORS = Path.of("../operators/src/test/resources/vectors/dataset/labels");

    @TempDir
    Path folder;

    private PipelineConfig config(String dataset, String train) throws Exception {
        Path file = Files.writeString(folder.resolve("labels.yaml"), """
                dataset: { %s }
                transforms: [ decode ]
                train: { %s }
                """.formatted(dataset, train));
        return ConfigReader.read(file, List.of());
    }

    private PipelineConfig arrays(String dataset, String train) throws Exception {
        Path file = Files.writeString(folder.resolve("arrays.yaml"), """
                dataset: { %s }
                batch: { size: 2 }
                train: { %s }
                """.formatted(dataset, train));
        return ConfigReader.read(file, List.of());
    }

    /** Returns the dataset of a file, which is copied, because an index is written beside a tar or TFRecord file. */
    private String file(String format, String name) throws Exception {
        Path copy = folder.resolve(name);
        if (!Files.exists(copy)) {
            Files.copy(VECTORS.resolve(name), copy);
        }
        return "format: " + format + ", path: " + copy;
    }

    private PipelineConfig read(String format, String name, String more, String train) throws Exception {
        String dataset = file(format, name) + more;
        return format.equals("hdf5") ? arrays(dataset, train) : config(dataset, train);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "parquet | cifar100.parquet | 'fine_label' (classes with names), 'coarse_label' (classes with names) could be labels | {image: img, label: fine_label}",
                "arrow | cifar100.arrow | 'fine_label' (classes with names), 'coarse_label' (classes with names) could be labels | {image: img, label: fine_label}",
                "parquet | target.parquet | 'target' (whole numbers), 'breed' (text), 'id' (whole numbers) could be labels | {image: img, label: target}",
                "arrow | target.arrow | 'target' (whole numbers), 'breed' (text), 'id' (whole numbers) could be labels | {image: img, label: target}",
                "tar | json.tar | 'json/annotation/category' (whole numbers), 'json/width' (whole numbers), 'json/annotation/name' (text) could be labels | {image: image, label: json/annotation/category}",
                "tfrecord | target.tfrecord | 'target' (whole numbers), 'image/height' (whole numbers), 'name' (text) could be labels | {image: image/encoded, label: target}",
                "hdf5 | target.h5 | 'target' (whole numbers) could be the label | {image: images, label: target}",
            })
    void lossRefusesADatasetWithoutLabelsAndNamesWhatCouldBeThem(
            String format, String name, String candidates, String fields) throws Exception {
        assertThatThrownBy(() -> RunPlanner.plan(read(format, name, "", "model: { mlp: { classes: 4 } }")))
                .isInstanceOf(PipelineException.class)
                .hasMessage("the samples of " + folder.resolve(name)
                        + " have no labels, but the loss cross_entropy compares the model's outputs with labels: "
                        + candidates + ": set dataset.fields: " + fields);

        // The line of the message is the remedy.
        assertThat(RunPlanner.plan(read(format, name, ", fields: " + fields, "model: { mlp: { classes: 4 } }"))
                        .labelled())
                .isTrue();
    }

    @Test
    void folderOfArraysWithoutItsDefaultFileOfLabelsIsRefusedToo() throws Exception {
        Path arrays = VECTORS.resolve("npy").toAbsolutePath();

        assertThatThrownBy(
                        () -> RunPlanner.plan(arrays("format: npy, path: " + arrays, "model: { mlp: { classes: 4 } }")))
                .isInstanceOf(PipelineException.class)
                .hasMessageEndingWith(
                        "'y.npy' (whole numbers) could be the label: set dataset.fields: {image: images.npy,"
                                + " label: y.npy}");
    }

    @Test
    void datasetWithNothingThatCouldBeALabelIsRefusedWithOtherRemedies() throws Exception {
        String dataset = file("parquet", "target.parquet") + ", fields: {image: img, a: target, b: breed, c: id}";

        assertThatThrownBy(() -> RunPlanner.plan(config(dataset, "model: { mlp: { classes: 4 } }")))
                .isInstanceOf(PipelineException.class)
                .hasMessageEndingWith(
                        "with labels: nothing in its files could be a label. Set train.target to a field of"
                                + " the samples, or train.model: none");
    }

    @Test
    void withoutALossTheCandidatesAreARemark() throws Exception {
        RunPlan plan = RunPlanner.plan(read("parquet", "cifar100.parquet", "", "model: none"));

        assertThat(plan.labelled()).isFalse();
        assertThat(plan.remarks())
                .containsExactly(folder.resolve("cifar100.parquet")
                        + ": the samples have no labels; 'fine_label' (classes with names), 'coarse_label' (classes with names) could be labels: set"
                        + " dataset.fields: {image: img, label: fine_label}");
        assertThat(RunPlanner.plan(read("parquet", "cifar100.parquet", ", fields: {image: img}", "model: none"))
                        .remarks())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"OneHot: { field: label, classes: 4 }", "MixUp: { alpha: 0.2 }"})
    void deviceTransformsThatChangeLabelsNeedThem(String transform) throws Exception {
        Path file = Files.writeString(
                folder.resolve("mixed.yaml"), """
                dataset: { %s, fields: { image: img } }
                transforms: [ decode ]
                device: { transforms: [ { %s } ] }
                train: { model: none }
                """.formatted(file("parquet", "cifar100.parquet"), transform));

        assertThatThrownBy(() -> RunPlanner.plan(ConfigReader.read(file, List.of())))
                .isInstanceOf(PipelineException.class)
                .hasMessageContaining(" have no labels, but device.transforms change them: 'fine_label'");
    }

    @Test
    void labelBeyondTheModelsOutputsIsAnErrorBeforeTheStart() throws Exception {
        String fields = ", fields: {image: img, label: target}";

        assertThatThrownBy(() ->
                        RunPlanner.plan(read("parquet", "target.parquet", fields, "model: { mlp: { classes: 3 } }")))
                .isInstanceOf(PipelineException.class)
                .hasMessage("sample 3 of " + folder.resolve("target.parquet")
                        + " has the label 3, but the model mlp has 3 outputs: expected labels from 0 to 2."
                        + " Set train.model.mlp.classes to at least 4");
        RunPlanner.plan(read(
                "parquet",
                "target.parquet",
                fields,
                "model: { mlp: { classes: 3 } }, loss: { cross_entropy: { ignore_index: 3 } }"));
    }

    @Test
    void outputsWithoutAClassAreDescribedAndTooFewAreAnError() throws Exception {
        String dataset = "format: synthetic, size: 20, shape: [2, 2, 3], classes: 10";
        assertThat(RunPlanner.plan(arrays(dataset, "model: { mlp: { classes: 1000 } }"))
                        .remarks())
                .containsExactly("synthetic: the model mlp has 1000 outputs, but the dataset has only 10 classes. Set"
                        + " train.model.mlp.classes to 10 unless the other outputs are wanted");
        assertThat(RunPlanner.plan(arrays(dataset, "model: { mlp: { classes: 10 } }"))
                        .remarks())
                .isEmpty();
        assertThat(RunPlanner.plan(arrays(dataset, "model: mlp")).remarks()).isEmpty();
        assertThatThrownBy(() -> RunPlanner.plan(arrays(dataset, "model: { mlp: { classes: 9 } }")))
                .isInstanceOf(PipelineException.class)
                .hasMessage("dataset synthetic has 10 classes, but the model mlp has 9: expected at least as many"
                        + " (train.model.mlp.classes)");
    }

    @Test
    void badLabelsAreDescribedWithAnExample() throws Exception {
        RunPlan plan = RunPlanner.plan(read(
                "parquet", "target.parquet", ", fields: {image: img, label: breed}, classes: [pug]", "model: none"));

        assertThat(plan.remarks())
                .containsExactly(
                        folder.resolve("target.parquet")
                                + ": the only class is 'pug', so there are no classes to learn",
                        folder.resolve("target.parquet")
                                + ": 3 of 6 labels that were looked at are bad, for example target.parquet#1: expected a whole"
                                + " number or the name of a class as label, found 'cur'");
        assertThat(RunPlanner.plan(read(
                                "parquet",
                                "target.parquet",
                                ", fields: {image: img, label: target}, classes: [a, b]",
                                "model: none"))
                        .remarks())
                .containsExactly(folder.resolve("target.parquet")
                        + ": 3 of 6 labels that were looked at are bad, for example target.parquet#2: expected a label of 0 to 1,"
                        + " found 2");
    }

    @Test
    void oneClassAndConstantLabelsAreDescribed() throws Exception {
        Files.createDirectories(folder.resolve("flat/pictures"));
        for (String name : List.of("a.png", "b.png")) {
            ImageIO.write(
                    new BufferedImage(4, 4, BufferedImage.TYPE_INT_RGB),
                    "png",
                    folder.resolve("flat/pictures").resolve(name).toFile());
        }
        assertThat(RunPlanner.plan(config("format: folder, path: " + folder.resolve("flat"), "model: none"))
                        .remarks())
                .containsExactly(
                        folder.resolve("flat") + ": the only class is 'pictures', so there are no classes to learn");

        assertThat(RunPlanner.plan(
                                read("hdf5", "target.h5", ", fields: {image: images, label: weights}", "model: none"))
                        .remarks())
                .containsExactly(folder.resolve("target.h5") + ": all 6 labels are 1");
    }
}
