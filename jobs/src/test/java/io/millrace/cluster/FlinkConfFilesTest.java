package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlinkConfFilesTest {
    private static final Path CONF = Path.of("../conf/flink");

    /** Patterns of keys that contain a name that the user chooses, of a resource or of a variable. */
    private static final List<String> FREE =
            List.of("external-resource\\.\\w+\\.amount", "containerized\\.(taskmanager|master)\\.env\\.\\w+");

    private static Map<String, ConfigOption<?>> known = Map.of();

    @TempDir
    Path folder;

    @BeforeAll
    static void readFlinksOptions() throws Exception {
        known = FlinkOptions.byKey();
        assertThat(known).as("Flink's options are found").hasSizeGreaterThan(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "elastic", "gpu", "kubernetes"})
    void everyKeyIsAnOptionOfFlinkWithAValueOfItsType(String name) throws Exception {
        ClusterSettings settings = ClusterSettings.read(CONF.resolve(name + ".yaml"));

        assertThat(settings.options()).hasSizeGreaterThan(10);
        settings.options().forEach((key, value) -> {
            if (FREE.stream().noneMatch(key::matches)) {
                assertThat(known).as(name).containsKey(key);
                Configuration configuration = Configuration.fromMap(Map.of(key, value));
                assertThatCode(() -> configuration.get(known.get(key)))
                        .as("%s: %s: %s", name, key, value)
                        .doesNotThrowAnyException();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "elastic", "gpu", "kubernetes"})
    void memoryAddsUp(String name) throws Exception {
        Configuration configuration =
                ClusterSettings.read(CONF.resolve(name + ".yaml")).configuration();

        for (ProcessRole role : List.of(ProcessRole.JOBMANAGER, ProcessRole.TASKMANAGER)) {
            assertThat(ProcessMemory.of(role, configuration).bytes()).isBetween(500_000_000L, 6_000_000_000L);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"local", "elastic", "gpu"})
    void everyAddressIsLoopback(String name) throws Exception {
        ClusterSettings.read(CONF.resolve(name + ".yaml")).options().forEach((key, value) -> {
            if (key.endsWith("address") || key.endsWith("host")) {
                assertThat(value).as(key).isEqualTo("127.0.0.1");
            }
        });
    }

    /** Options of a reporter are declared without the name of the reporter. The port of Prometheus is not declared. */
    @ParameterizedTest
    @ValueSource(strings = {"prometheus-reporter", "opentelemetry-reporter"})
    void everyKeyOfAReporterIsAnOptionOfFlink(String name) throws Exception {
        ClusterSettings settings = ClusterSettings.read(Path.of("../conf/watching", name + ".yaml"));

        assertThat(settings.options()).isNotEmpty();
        settings.options().forEach((key, value) -> {
            assertThat(key).startsWith("metrics.reporter.");
            String option = key.replaceFirst("^metrics\\.reporter\\.\\w+\\.", "");
            if (!option.equals("port")) {
                assertThat(known).as(name).containsKey(option);
                Configuration configuration = Configuration.fromMap(Map.of(option, value));
                assertThatCode(() -> configuration.get(known.get(option)))
                        .as("%s: %s: %s", name, key, value)
                        .doesNotThrowAnyException();
            }
        });
    }

    @Test
    void shippedNamesAreThoseOfTheFiles() throws Exception {
        try (Stream<Path> files = Files.list(CONF)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(ClusterSettings.SHIPPED.stream()
                            .map(name -> name + ".yaml")
                            .toList());
        }
        for (String name : ClusterSettings.SHIPPED) {
            assertThat(ClusterSettings.shipped(name)).isEqualTo(ClusterSettings.read(CONF.resolve(name + ".yaml")));
        }
    }

    @Test
    void flinkReadsTheSettingsThatWereWritten() throws Exception {
        ClusterSettings settings = ClusterSettings.shipped("gpu").with(Map.of("s3.secret-key", "a: 'b' #\"c\""));
        settings.write(folder);

        assertThat(ClusterSettings.written(folder)).isEqualTo(settings);
    }
}
