package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.dataset.BadSampleException;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.transform.OutputSize;
import io.millrace.transform.Transform;
import io.millrace.transform.TransformSpec;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * The code of docs/develop/extending.md. It is read from that page, compiled, packed into a jar and run by the
 * launcher.
 */
@EnabledOnOs({OS.LINUX, OS.MAC})
class OwnJarITCase {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final int IMAGES = 12;

    @TempDir
    static Path folder;

    private static String page = "";
    private static Path jar = Path.of("");
    private static Path launcher = Path.of("");

    /** The exit code and the output of a command. */
    private record Ended(int exitCode, String out, String err) {}

    @BeforeAll
    static void build() throws IOException {
        page = Files.readString(ROOT.resolve("docs/develop/extending.md"));
        Path classes = Files.createDirectories(folder.resolve("classes"));
        compile(blocks("java"), classes);
        Path services = Files.createDirectories(classes.resolve("META-INF/services"));
        Matcher names = Pattern.compile("`META-INF/services/([a-zA-Z.]+)`:\\n\\n```\\n(.*?)```", Pattern.DOTALL)
                .matcher(page);
        int found = 0;
        for (; names.find(); found++) {
            Files.writeString(services.resolve(names.group(1)), names.group(2));
        }
        assertThat(found).isEqualTo(6);
        jar = pack(classes, folder.resolve("mine.jar"));
        launcher = launcher();
        Files.writeString(folder.resolve("pipeline.yaml"), blocks("yaml").get(0));
        List<String> lines = new ArrayList<>();
        for (int image = 0; image < IMAGES; image++) {
            int value = image * 20;
            lines.add(image % 3 + ("," + value).repeat(16));
        }
        Files.write(folder.resolve("images.csv"), lines);
    }

    /** The code of the page in one language. */
    private static List<String> blocks(String language) {
        return Pattern.compile("```" + language + "\\n(.*?)```", Pattern.DOTALL)
                .matcher(page)
                .results()
                .map(block -> block.group(1))
                .toList();
    }

    private static void compile(List<String> sources, Path classes) throws IOException {
        List<String> arguments = new ArrayList<>(
                List.of("--release", "17", "-cp", System.getProperty("java.class.path"), "-d", classes.toString()));
        arguments.addAll(List.of("-proc:none", "-nowarn"));
        assertThat(sources).hasSize(8);
        for (String source : sources) {
            Matcher name = Pattern.compile("public final class (\\w+)").matcher(source);
            assertThat(name.find()).isTrue();
            Path file = folder.resolve(name.group(1) + ".java");
            arguments.add(Files.writeString(file, source).toString());
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assertThat(compiler.run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
    }

    private static Path pack(Path classes, Path jar) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> entries = Files.walk(classes)) {
            for (Path entry : entries.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(entry).toString()));
                Files.copy(entry, out);
            }
        }
        return jar;
    }

    /** Returns the launcher in a folder that needs no build. Its class path is that of this test. */
    private static Path launcher() throws IOException {
        Path home = folder.resolve("home");
        Path build = Files.createDirectories(home.resolve(".millrace/build/tests"));
        Files.createDirectories(home.resolve("jobs/src/main"));
        Files.writeString(home.resolve("pom.xml"), "");
        Files.writeString(home.resolve("jobs/pom.xml"), "");
        // As after a build, there are only jars. The classes of tests are left out, because they contain formats of
        // their own.
        List<String> jars = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(":", -1)) {
            Path path = Path.of(entry);
            if (Files.isRegularFile(path) && !entry.endsWith("-tests.jar")) {
                jars.add(entry);
            } else if (Files.isDirectory(path) && !path.endsWith("test-classes")) {
                jars.add(pack(path, build.resolve(jars.size() + ".jar")).toString());
            }
        }
        Files.writeString(build.resolve("classpath"), String.join(":", jars) + "\n");
        Files.writeString(build.resolveSibling("current"), "tests\n");
        return Files.copy(ROOT.resolve("millrace"), home.resolve("millrace"), StandardCopyOption.COPY_ATTRIBUTES);
    }

    private static Ended millrace(String classPath, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("bash", launcher.toString()));
        command.addAll(List.of(arguments));
        Path out = Files.createTempFile(folder, "out", "");
        Path err = Files.createTempFile(folder, "err", "");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("MILLRACE_CLASSPATH", classPath);
        builder.environment()
                .put(
                        "MILLRACE_JVM_OPTS",
                        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                                        .filter(argument -> argument.startsWith("-Dai.djl"))
                                        .collect(Collectors.joining(" "))
                                + " -Xmx1g -Xmn256m -XX:TieredStopAtLevel=1 -Dlog4j2.configurationFile=log4j2.properties");
        int exitCode = builder.start().waitFor();
        return new Ended(
                exitCode, Files.readString(out, StandardCharsets.UTF_8), Files.readString(err, StandardCharsets.UTF_8));
    }

    @Test
    void allChoicesOfAJarAreUsedByName() throws Exception {
        Ended run = millrace(jar.toString(), "train", "pipeline.yaml", "--json");
        assertThat(run.exitCode()).as("%s", run).isZero();
        JsonNode summary = new ObjectMapper().readTree(run.out().lines().reduce("", (first, second) -> second));
        assertThat(summary.required("samples").asLong()).isEqualTo(2L * IMAGES);
        assertThat(summary.required("quarantined").asLong()).isZero();
        JsonNode model;
        try (Stream<Path> files = Files.walk(folder)) {
            Path description = files.filter(file -> file.endsWith("model/model.json"))
                    .findFirst()
                    .orElseThrow();
            model = new ObjectMapper().readTree(description.toFile());
        }
        assertThat(model.required("model")
                        .required("prelu_network")
                        .required("width")
                        .asInt())
                .isEqualTo(8);
        assertThat(model.required("parameters").asInt()).isEqualTo(16 * 8 + 8 + 8 + 8 * 3 + 3);
        assertThat(model.required("loss")
                        .required("brier_score")
                        .required("scale")
                        .asDouble())
                .isEqualTo(1);
        assertThat(model.required("optimizer")
                        .required("lion")
                        .required("learning_rate")
                        .asDouble())
                .isEqualTo(0.001);
    }

    @Test
    void transformOfAJarChangesImagesAndMasksAlike() throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader classes = new URLClassLoader(new URL[] {jar.toUri().toURL()}, before)) {
            thread.setContextClassLoader(classes);
            TransformSpec transpose = TransformSpec.of("RandomTranspose", Map.of("p", 1L));
            assertThat(transpose.outputSize()).isEqualTo(OutputSize.VARYING);
            Transform transform = transpose.create();
            for (int index = 0; index < 3; index++) { // from the second sample on, arrays are used again
                Sample sample = images(index);
                transform.apply(sample, new SampleRandom(1, 0).reset(0, index));
                assertTransposed(sample.image(), images(index).image());
                assertTransposed(sample.field("other"), images(index).field("other"));
                assertTransposed(sample.field("mask"), images(index).field("mask"));
                assertThat(sample.field("mask").kind()).isEqualTo(FieldKind.MASK);
                assertThat(sample.image().kind()).isEqualTo(FieldKind.IMAGE);
            }
            Sample uneven = images(0).put("other", Field.image(2, 2, 1, new byte[4]));
            assertThatThrownBy(() -> transform.apply(uneven, new SampleRandom(1, 0).reset(0, 0)))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageContaining("RandomTranspose expected images and masks of one size");
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** A sample with two images and a mask of 2 rows and 3 columns. */
    private static Sample images(int index) {
        return new Sample(index, "sample-" + index, 0)
                .put(Sample.IMAGE, Field.image(2, 3, 3, counted(18, index)))
                .put("other", Field.image(2, 3, 1, counted(6, index + 50)))
                .put("mask", Field.image(2, 3, 1, counted(6, index + 100)).as(FieldKind.MASK));
    }

    private static byte[] counted(int count, int first) {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            bytes[i] = (byte) (first + i);
        }
        return bytes;
    }

    private static void assertTransposed(Field result, Field given) {
        assertThat(result.shape()).containsExactly(given.width(), given.height(), given.channels());
        for (int row = 0; row < given.height(); row++) {
            for (int column = 0; column < given.width(); column++) {
                for (int channel = 0; channel < given.channels(); channel++) {
                    assertThat(result.data()[(column * given.height() + row) * given.channels() + channel])
                            .isEqualTo(given.data()[(row * given.width() + column) * given.channels() + channel]);
                }
            }
        }
    }

    @Test
    void transformsOfAJarHaveTheSameResultsOnTheDevice() throws Exception {
        List<String> results = new ArrayList<>();
        for (String place : List.of("server", "device")) {
            Ended run = millrace(
                    jar.toString(),
                    "train",
                    "pipeline.yaml",
                    "--json",
                    "--set",
                    "transforms=[{RandomThreshold: {place: %1$s}}, {ToRange: {low: -2, place: %1$s}}]".formatted(place),
                    "--set",
                    "device.transforms=[]");
            assertThat(run.exitCode()).as("%s", run).isZero();
            results.add(new ObjectMapper()
                    .readTree(run.out().lines().reduce("", (first, second) -> second))
                    .required("parameters_sha256")
                    .asText());
        }
        assertThat(results.get(1)).hasSize(64).isEqualTo(results.get(0));
        Ended wrong = millrace(
                jar.toString(), "train", "pipeline.yaml", "--set", "device.transforms=[{ToRange: {low: 1, high: 1}}]");
        assertThat(wrong.exitCode()).isNotZero();
        assertThat(wrong.err()).contains("ToRange: 'high' is 1.0, expected a number above 'low', which is 1.0");
    }

    @Test
    void optionsOfAJarAreListedAndChecked() throws Exception {
        Ended options = millrace(folder + "/*", "options");
        assertThat(options.out())
                .contains(
                        "### `csv_pixels`",
                        "### `RandomThreshold`",
                        "The lowest threshold.",
                        "### `RandomTranspose`",
                        "### `ToRange`")
                .contains("### `prelu_network`", "Width of the hidden layer.", "### `brier_score`", "### `lion`");
        Ended wrong =
                millrace(jar.toString(), "train", "pipeline.yaml", "--set", "transforms=[RandomThreshold: {lest: 3}]");
        assertThat(wrong.exitCode()).isNotZero();
        assertThat(wrong.err()).contains("RandomThreshold.lest: unknown key, did you mean 'least'?");
        Ended bad = millrace(jar.toString(), "train", "pipeline.yaml", "--set", "train.optimizer={lion: {betas: [2]}}");
        assertThat(bad.exitCode()).isNotZero();
        assertThat(bad.err()).contains("train.optimizer.lion.betas: expected");
    }

    @Test
    void withoutTheJarTheNameIsUnknown() throws Exception {
        Ended run = millrace("", "train", "pipeline.yaml");
        assertThat(run.exitCode()).isNotZero();
        assertThat(run.err()).contains("pipeline.yaml:1: dataset.format: unknown format 'csv_pixels'");
    }

    @Test
    void missingJarIsReportedBeforeAnythingStarts() throws Exception {
        Ended run = millrace(folder.resolve("missing.jar").toString(), "options");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo("millrace: MILLRACE_CLASSPATH names '" + folder.resolve("missing.jar")
                        + "', but there is no such file or folder\n");
    }
}
