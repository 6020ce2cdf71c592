package io.millrace.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.CommandRun;
import io.millrace.cli.SmallData;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs whose random transforms are those of other libraries. */
@Tag("slow")
class PythonLibrariesITCase {
    private static final int PHOTOS = 40;

    private static final String AUGMENT = """
            import os

            def die_once(marks, index):
                mark = "%s/dead-%d" % (marks, index)
                if marks and index in (5, 17, 30) and not os.path.exists(mark):
                    open(mark, "w").close()
                    os.kill(os.getpid(), 9)

            def torchvision(marks):
                from torchvision.transforms import v2
                transform = v2.Compose([v2.RandomResizedCrop(24, antialias=True), v2.RandomHorizontalFlip(),
                                        v2.ColorJitter(0.4, 0.4)])
                def call(sample, index):
                    die_once(marks, index)
                    return transform(sample)
                return call

            def albumentations(marks):
                import albumentations
                class Call:
                    def __init__(self):
                        self.compose = albumentations.Compose([
                            albumentations.RandomResizedCrop(size=(24, 24)), albumentations.HorizontalFlip(),
                            albumentations.RandomBrightnessContrast(p=0.8)])
                    def set_random_seed(self, seed):
                        self.compose.set_random_seed(seed)
                    def __call__(self, index, **data):
                        die_once(marks, index)
                        return self.compose(**data)
                return Call()
            """;

    @TempDir
    Path folder;

    private Path pipeline(String name, String python, String library, boolean deaths) throws Exception {
        Path own = Files.createDirectories(folder.resolve(name));
        Files.writeString(own.resolve("augment.py"), AUGMENT);
        Path photos = folder.resolve("photos");
        if (!Files.exists(photos)) {
            SmallData.photos(photos, PHOTOS, 0, 1);
        }
        Path file = SmallData.photosPipeline(own.resolve("photos.yaml"), photos, own.resolve("runs"));
        return Files.writeString(
                file,
                Files.readString(file)
                                .replaceFirst(
                                        "(?s)transforms:.*?(?=\\n[a-z])",
                                        "transforms: [ decode, python: { call: 'augment:%s', args: { marks: '%s' }, tensors: %s } ]"
                                                .formatted(library, deaths ? own : "", library.equals("torchvision")))
                        + "\npython: { executable: " + python + " }\n");
    }

    private static String trained(Path pipeline, String... more) {
        List<String> arguments = new ArrayList<>(List.of("train", pipeline.toString(), "--json"));
        arguments.addAll(List.of(more));
        CommandRun run = CommandRun.of(arguments.toArray(String[]::new));
        assertThat(run.exitCode()).as("%s%s", run.out(), run.err()).isZero();
        JsonNode summary = run.json();
        assertThat(summary.required("quarantined").asLong()).isZero();
        return summary.required("parameters_sha256").asText();
    }

    @ParameterizedTest
    @ValueSource(strings = {"torchvision", "albumentations"})
    void sameBytesAtAnyParallelismAfterKillsOfWorkersAndAfterResume(String library) throws Exception {
        Optional<String> python = PythonWithNumpy.find();
        assumeTrue(python.isPresent(), "needs Python 3.9 or newer with numpy");
        assumeTrue(PythonWithNumpy.has(python.get(), library), "needs the Python package " + library);

        String one = trained(pipeline("one", python.get(), library, false), "--set", "parallelism=1");
        String killed = trained(pipeline("two", python.get(), library, true), "--set", "parallelism=2");
        assertThat(killed).isEqualTo(one);
        assertThat(folder.resolve("two/dead-5")).exists();
        assertThat(folder.resolve("two/dead-30")).exists();
        Path four = pipeline("four", python.get(), library, false);
        trained(four, "--set", "parallelism=4", "--set", "dataset.epochs=1");
        assertThat(trained(four, "--set", "parallelism=2", "--resume")).isEqualTo(one);
    }
}
