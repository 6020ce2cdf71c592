package io.millrace.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.metrics.CodeLine;
import io.millrace.metrics.CodeProfile;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.sample.StageDone;
import io.millrace.transform.Neighbors;
import io.millrace.transform.StageChain;
import io.millrace.transform.StageFailedException;
import io.millrace.transform.Transform;
import io.millrace.transform.TransformContext;
import io.millrace.transform.TransformSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Transforms {@code python} behind one another, whose functions one process calls in one round trip. */
class PythonRunTest {
    @TempDir
    Path folder;

    /** Whether the stages are in one task. */
    private enum Tasks {
        ONE,
        SEPARATE
    }

    private static Sample picture(long index) {
        byte[] pixels = new byte[6 * 4 * 3];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) (3L * i + index);
        }
        Field mask = Field.of(DType.UINT8, new int[] {6, 4, 1}, new byte[24]).as(FieldKind.MASK);
        return PythonFixture.sample(index)
                .put(Sample.IMAGE, Field.image(6, 4, 3, pixels))
                .put("mask", mask);
    }

    private List<TransformSpec> specs(String module, List<Map<String, Object>> calls) throws Exception {
        Files.writeString(folder.resolve("augment.py"), "import os\n" + recording() + module);
        PythonTransformFactory factory = new PythonTransformFactory();
        List<TransformSpec> specs = new ArrayList<>();
        for (Map<String, Object> call : calls) {
            Map<String, Object> all = new LinkedHashMap<>(call);
            all.put("executable", PythonFixture.interpreter());
            all.put("path", List.of(folder.toString()));
            specs.add(new TransformSpec("python", OptionValues.of(factory.options(), all)));
        }
        return specs;
    }

    private String recording() {
        return "with open('%s', 'a') as file: print(os.getpid(), file=file)\n".formatted(folder.resolve("pids"));
    }

    /** Returns the number of worker processes that have been started. */
    private int workers() throws Exception {
        return Files.readAllLines(folder.resolve("pids")).size();
    }

    private List<TransformSpec> specs(String module, String... functions) throws Exception {
        List<Map<String, Object>> calls = new ArrayList<>();
        for (String function : functions) {
            calls.add(Map.of("call", "augment:" + function));
        }
        return specs(module, calls);
    }

    /** Passes samples through the operators of stages 0, 1, ..., as a chain does. */
    private static List<Sample> run(List<TransformSpec> specs, Tasks tasks, long... indices) throws Exception {
        try (PythonChain chain = new PythonChain(specs, tasks == Tasks.ONE)) {
            for (long index : indices) {
                chain.add(picture(index));
            }
            return chain.end();
        }
    }

    private static List<String> described(List<Sample> samples) {
        List<String> all = new ArrayList<>();
        for (Sample sample : samples) {
            all.add(sample.toString());
            for (String name : sample.fieldNames()) {
                Field field = sample.field(name);
                all.add(name + " " + field.kind() + " " + field + " " + Arrays.toString(field.data()));
            }
        }
        return all;
    }

    @Test
    void oneRoundTripGivesTheSameBytesAsSeparateOnes() throws Exception {
        List<TransformSpec> specs = specs("""
                import random
                import numpy as np
                keep = np.full((2, 2), 7, np.float32)
                def first(sample, rng):
                    image = sample["image"]
                    image[:] = image // 2 + rng.integers(0, 100, image.shape, "uint8")
                    return {**sample, "view": image[1:3], "last": image[:, ::-1], "kept": keep, "name": "x" * 5,
                            "gray": np.asfortranarray(image[:, :, 0]), "number": 3, "label": sample["label"] + 1}
                def second(sample, rng):
                    assert all(sample[name].flags.writeable for name in sample if name not in ("label", "name")), sample
                    assert sample["name"] == "x" * 5
                    sample["view"] += 1
                    sample["kept"] += rng.random()
                    sample["label"] += 2
                    return {**sample, "image": sample["image"][:, :, :2], "mask": sample["mask"][:, :, 0],
                            "seeded": random.random()}
                def third(image, mask, kept):
                    assert mask.shape == (6, 4, 1) and image.shape == (6, 4, 2), (mask.shape, image.shape)
                    return np.concatenate([image, image[:, :, :1]], 2), mask + 1, kept * 2
                """, "first", "second", "third");
        List<String> separate = described(run(specs, Tasks.SEPARATE, 1, 2, 3));
        assertThat(workers()).isEqualTo(3);
        assertThat(described(run(specs, Tasks.ONE, 1, 2, 3))).isEqualTo(separate);
        assertThat(workers()).isEqualTo(4);
        assertThat(separate)
                .anyMatch(line -> line.startsWith("image TENSOR"))
                .anyMatch(line -> line.contains("label=10"));
    }

    @Test
    void sampleIsQuarantinedByTheStageWhoseFunctionFails() throws Exception {
        List<TransformSpec> specs = specs("""
                def first(sample, index):
                    if index == 1: raise ValueError("first")
                def second(sample, index):
                    if index == 2: raise ValueError("second")
                def third(sample, index):
                    if index == 3: return {"image": [1]}
                """, "first", "second", "third");
        List<Sample> samples = run(specs, Tasks.ONE, 0, 1, 2, 3, 4);
        assertThat(described(samples)).isEqualTo(described(run(specs, Tasks.SEPARATE, 0, 1, 2, 3, 4)));
        assertThat(samples.get(0).badSample()).isNull();
        assertThat(samples.get(1).badSample())
                .hasToString("BadSample[stage=stage0, dataset=data, file=photos/1.jpg,"
                        + " offset=-1, reason=augment.py:4: ValueError: first]");
        assertThat(samples.get(2).badSample())
                .hasToString("BadSample[stage=stage1, dataset=data, file=photos/2.jpg,"
                        + " offset=-1, reason=augment.py:6: ValueError: second]");
        assertThat(samples.get(3).badSample())
                .hasToString("BadSample[stage=stage2, dataset=data, file=photos/3.jpg,"
                        + " offset=-1, reason=augment:third returned for sample 3: field 'image' has the type list, expected a"
                        + " numpy array, a torch tensor, a number, a text or bytes]");
        assertThat(samples.get(4).badSample()).isNull();
    }

    @Test
    void stageWhoseFunctionEndsTheWorkerTwiceQuarantinesTheSample() throws Exception {
        List<TransformSpec> specs = specs("""
                def first(sample): pass
                def second(sample, index):
                    if index == 1: os.kill(os.getpid(), 9)
                """, "first", "second");
        List<Sample> samples = run(specs, Tasks.ONE, 0, 1, 2);
        assertThat(samples.get(1).badSample())
                .hasToString(
                        "BadSample[stage=stage1, dataset=data, file=photos/1.jpg,"
                                + " offset=-1, reason=augment:second, tried twice: the process was killed by signal 9 (SIGKILL)]");
        assertThat(samples.get(2).badSample()).isNull();
        assertThat(workers()).as("a copy replaces a process").isEqualTo(1);
    }

    @Test
    void eachFunctionHasItsOwnTimeout() throws Exception {
        List<TransformSpec> specs = specs(
                """
                import time
                def slow(sample): time.sleep(1.2)
                def hangs(sample, index): time.sleep(60 * (index == 1))
                """,
                List.of(
                        Map.of("call", "augment:slow", "timeout", "30s"),
                        Map.of("call", "augment:hangs", "timeout", "1s")));
        List<Sample> samples = run(specs, Tasks.ONE, 0, 1);
        assertThat(samples.get(0).badSample()).isNull();
        assertThat(samples.get(1).badSample())
                .hasToString("BadSample[stage=stage1, dataset=data, file=photos/1.jpg,"
                        + " offset=-1, reason=augment:hangs, tried twice: there was no answer within 1 s]");
    }

    @Test
    void wrongParametersAreTheFailureOfTheirStage() throws Exception {
        List<TransformSpec> specs = specs("""
                def first(sample): pass
                def second(image, msk): pass
                """, "first", "second");
        assertThatThrownBy(() -> run(specs, Tasks.ONE, 0))
                .isInstanceOf(StageFailedException.class)
                .hasMessageStartingWith(
                        "stage stage1 failed on sample 0 (photos/0.jpg): augment:second has the parameter" + " 'msk'");
    }

    @Test
    void functionThatCannotBeImportedIsNamed() throws Exception {
        List<TransformSpec> specs = specs("def first(sample): pass\n", "first", "missing");
        assertThatThrownBy(() -> run(specs, Tasks.ONE, 0))
                .hasMessageContaining("augment:missing: augment has no 'missing'");
    }

    @Test
    void transformsWithOtherModulesHaveAnotherProcess() throws Exception {
        List<TransformSpec> specs = new ArrayList<>(specs("def f(sample): sample['image'] += 1\n", "f"));
        Path other = Files.createDirectory(folder.resolve("other"));
        TransformSpec first = specs.get(0);
        specs.add(new TransformSpec(
                "python", first.options().with(PythonOptions.PATH, List.of(other.toString(), folder.toString()))));
        byte[] before = picture(1).image().data().clone();
        byte[] after = run(specs, Tasks.ONE, 1).get(0).image().data();
        assertThat(workers()).isEqualTo(2);
        assertThat(LongStream.range(0, before.length).filter(i -> after[(int) i] != (byte) (before[(int) i] + 2)))
                .isEmpty();
    }

    @Test
    @Timeout(120)
    void eachStageHasTheProfileOfItsOwnFunction() throws Exception {
        List<TransformSpec> specs = specs("import time\n" + function("first") + function("second"), "first", "second");
        Neighbors behind = new Neighbors(specs.get(0), null);
        try (Transform first = transform(specs.get(0), new Neighbors(null, PythonChain.following(specs, 1, true)));
                Transform second = transform(specs.get(1), behind)) {
            SampleRandom random = new SampleRandom(42, 0);
            for (long index = 0; few(first) || few(second); index++) {
                Sample sample = picture(index);
                first.apply(sample, random.reset(0, index));
                StageDone done = Objects.requireNonNull(
                        Objects.requireNonNull(first.done()).next());
                if (done.code() != null) {
                    second.addCode(done.code());
                }
            }
            // On a busy machine, a look may find the worker's own call just before or after the function; that line has
            // no function.
            assertThat(functions(first))
                    .startsWith("first")
                    .filteredOn(name -> !name.isEmpty())
                    .containsExactly("first");
            assertThat(functions(second))
                    .startsWith("second")
                    .filteredOn(name -> !name.isEmpty())
                    .containsExactly("second");
        }
    }

    private static Transform transform(TransformSpec spec, Neighbors neighbors) {
        return new PythonTransformFactory()
                .create(spec.options(), new TransformContext(0, 42, neighbors, new StageChain()));
    }

    private static String function(String name) {
        return "def " + name + "(sample): time.sleep(0.02)\n";
    }

    private static CodeProfile profile(Transform transform) {
        return Objects.requireNonNull(transform.code());
    }

    private static boolean few(Transform transform) {
        return profile(transform).samples() < 5;
    }

    private static List<String> functions(Transform transform) {
        return profile(transform).lines().stream().map(CodeLine::function).toList();
    }
}
