package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The manifest for the Flink Kubernetes Operator, against the keys of the operator's schema and against Flink's options. */
class FlinkDeploymentTest {
    private static final Path MANIFEST = Path.of("..", "conf", "kubernetes", "flink-deployment.yaml");

    /** Objects whose keys the operator's schema leaves open. */
    private static final List<String> OPEN = List.of("spec.flinkConfiguration", "spec.podTemplate");

    private static final Map<String, Class<?>> TYPES = Map.of(
            "string", String.class,
            "integer", Integer.class,
            "number", Number.class,
            "boolean", Boolean.class,
            "array", List.class,
            "object", Map.class,
            "any", Map.class);

    private static Map<String, Object> manifest = Map.of();

    /** All keys of the specification with their values, nested keys joined by dots. */
    private static Map<String, Object> values = Map.of();

    @BeforeAll
    static void readTheManifest() throws Exception {
        manifest = new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(MANIFEST));
        values = flat("spec", (Map<?, ?>) Objects.requireNonNull(manifest.get("spec")));
    }

    private static String value(String key) {
        return Objects.requireNonNull(values.get(key), key).toString();
    }

    private static Map<String, Object> flat(String prefix, Map<?, ?> tree) {
        Map<String, Object> values = new TreeMap<>();
        tree.forEach((name, value) -> {
            String key = prefix.isEmpty() ? name.toString() : prefix + "." + name;
            values.put(key, value);
            if (value instanceof Map<?, ?> nested && !OPEN.contains(key)) {
                values.putAll(flat(key, nested));
            }
        });
        return values;
    }

    private static Map<String, String[]> schema() throws Exception {
        Map<String, String[]> keys = new HashMap<>();
        try (InputStream in = Objects.requireNonNull(
                FlinkDeploymentTest.class.getResourceAsStream("flink-deployment-keys.txt"), "the keys")) {
            new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split(" ", -1))
                    .forEach(words -> keys.put(words[0], words));
        }
        return keys;
    }

    @Test
    void everyKeyIsInTheOperatorsSchemaWithAValueOfItsType() throws Exception {
        Map<String, String[]> schema = schema();
        assertThat(manifest).containsOnlyKeys("apiVersion", "kind", "metadata", "spec");
        assertThat(manifest)
                .containsEntry("apiVersion", "flink.apache.org/v1beta1")
                .containsEntry("kind", "FlinkDeployment");

        values.forEach((key, value) -> {
            assertThat(schema).as("the operator's keys").containsKey(key);
            String[] words = Objects.requireNonNull(schema.get(key));
            assertThat(value).as(key).isInstanceOf(TYPES.get(words[1]));
            if (words.length > 2) {
                assertThat(words[2].split("\\|", -1)).as(key).contains(value.toString());
            }
        });
    }

    private static Map<String, String> flinkOptions() {
        Map<String, String> options = new HashMap<>();
        ((Map<?, ?>) Objects.requireNonNull(values.get("spec.flinkConfiguration")))
                .forEach((key, value) -> options.put(key.toString(), value.toString()));
        return options;
    }

    @Test
    void everyKeyOfTheConfigurationIsAnOptionOfFlinkWithAValueOfItsType() throws Exception {
        Map<String, ConfigOption<?>> known = FlinkOptions.byKey();
        flinkOptions().forEach((key, value) -> {
            assertThat(known).containsKey(key);
            Configuration configuration = Configuration.fromMap(Map.of(key, value));
            assertThatCode(() -> configuration.get(known.get(key)))
                    .as("%s: %s", key, value)
                    .doesNotThrowAnyException();
        });
    }

    @Test
    void theMemoryOfThePodsAddsUp() throws Exception {
        Map<String, String> options = flinkOptions();
        options.put("taskmanager.memory.process.size", value("spec.taskManager.resource.memory"));
        options.put("jobmanager.memory.process.size", value("spec.jobManager.resource.memory"));
        Configuration configuration = Configuration.fromMap(options);

        assertThat(ProcessMemory.of(ProcessRole.TASKMANAGER, configuration).bytes())
                .isEqualTo(4608L << 20);
        assertThat(ProcessMemory.of(ProcessRole.JOBMANAGER, configuration).bytes())
                .isEqualTo(1536L << 20);
    }

    @Test
    void theJobIsTheProgramInTheImage() {
        assertThat(values)
                .containsEntry("spec.job.entryClass", "io.millrace.cli.FlinkMain")
                .containsEntry("spec.job.jarURI", "local:///opt/millrace/millrace-jobs.jar")
                .containsEntry("spec.job.args", List.of("train", "/data/pipeline.yaml"));
    }

    /** The options of the JVMs are those of a native Kubernetes session. */
    @Test
    void theOptionsOfTheJvmsAreThoseOfTheOtherConfigurations() throws Exception {
        assertThat(ClusterSettings.shipped("kubernetes").options())
                .containsEntry("env.java.opts.all", flinkOptions().get("env.java.opts.all"))
                .containsEntry("env.java.opts.taskmanager", flinkOptions().get("env.java.opts.taskmanager"));
    }
}
