package io.millrace.python;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.transform.Neighbors;
import io.millrace.transform.StageChain;
import io.millrace.transform.Transform;
import io.millrace.transform.TransformContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The transform {@code python} with a module of a test, in the interpreter of this machine. */
final class PythonFixture implements AutoCloseable {
    private final Transform transform;
    private final SampleRandom random = new SampleRandom(42, 3);

    private PythonFixture(Transform transform) {
        this.transform = transform;
    }

    /** Returns the interpreter; the test is skipped where there is none. */
    static String interpreter() throws IOException, InterruptedException {
        Optional<String> python = PythonWithNumpy.find();
        assumeTrue(python.isPresent(), "needs Python 3.9 or newer with numpy");
        return python.orElseThrow();
    }

    /** Skips the test where a package is missing. */
    static void requirePackage(String name) throws IOException, InterruptedException {
        assumeTrue(PythonWithNumpy.has(interpreter(), name), "needs the Python package " + name);
    }

    /** Creates the transform for a module {@code augment} with this text. */
    static PythonFixture of(Path folder, String module, String call) throws Exception {
        return of(folder, module, Map.of("call", "augment:" + call));
    }

    static PythonFixture of(Path folder, String module, Map<String, ?> options) throws Exception {
        Files.writeString(folder.resolve("augment.py"), module);
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("executable", interpreter());
        all.put("path", List.of(folder.toString()));
        all.putAll(options);
        PythonTransformFactory factory = new PythonTransformFactory();
        return new PythonFixture(factory.create(OptionValues.of(factory.options(), all)));
    }

    /** Creates the transform as a job does. */
    static PythonFixture inJob(OptionValues options) {
        return new PythonFixture(new PythonTransformFactory()
                .create(options, new TransformContext(0, 42, Neighbors.NONE, new StageChain())));
    }

    static Sample sample(long index) {
        return new Sample(index, "photos/" + index + ".jpg", 7).placeAt(index, 2, Split.TRAIN);
    }

    Sample apply(Sample sample) throws Exception {
        transform.apply(sample, random.reset(sample.epoch(), sample.index()));
        return sample;
    }

    Transform transform() {
        return transform;
    }

    @Override
    public void close() {
        transform.close();
    }
}
