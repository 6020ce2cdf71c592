package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;

class ProcessCommandTest {
    private static final Path FOLDER = Path.of("cluster");

    private static List<String> command(ProcessRole role) throws Exception {
        Configuration configuration = ClusterSettings.shipped("local").configuration();
        return ProcessCommand.flink(
                role,
                new ClusterFolder(FOLDER),
                List.of("a.jar", "b.jar"),
                configuration,
                ProcessMemory.of(role, configuration),
                ProcessOptions.NONE,
                FOLDER.resolve("a.log"));
    }

    @Test
    void everyProcessHasTheOptionsOfThisProgramThatItNeeds() throws Exception {
        for (ProcessRole role : ProcessRole.values()) {
            assertThat(command(role)).contains("--add-opens=java.base/java.nio=ALL-UNNAMED");
        }
    }

    @Test
    void optionsOfTheConfigurationComeAfterThoseOfThisProgram() throws Exception {
        List<String> command = command(ProcessRole.TASKMANAGER);
        assertThat(command.lastIndexOf("-XX:+UseParallelGC"))
                .isGreaterThan(command.indexOf("--add-opens=java.base/java.nio=ALL-UNNAMED"));
        assertThat(command).containsSequence("-cp", "a.jar:b.jar", ProcessRole.TASKMANAGER.mainClass());
    }

    @Test
    void aProcessHasOneGarbageCollector() {
        List<String> command =
                new ArrayList<>(List.of("java", "-XX:+UseParallelGC", "-Xmx1g", "-XX:+UseG1GC", "-XX:+UseG1GC"));
        ProcessCommand.keepOneCollector(command, Map.of());
        assertThat(command).containsExactly("java", "-Xmx1g", "-XX:+UseG1GC");

        ProcessCommand.keepOneCollector(command, Map.of("JAVA_TOOL_OPTIONS", "-Xss2m -XX:+UseZGC"));
        assertThat(command).containsExactly("java", "-Xmx1g");
    }

    @Test
    void everyProcessSharesTheArchiveOfClassesAndHasBothCompilers() {
        for (ProcessRole role : ProcessRole.values()) {
            assertThat(ProcessCommand.isInherited(role, "-XX:SharedArchiveFile=/a/b.jsa"))
                    .isTrue();
            assertThat(ProcessCommand.isInherited(role, "-Xlog:cds*=off")).isTrue();
            assertThat(ProcessCommand.isInherited(role, "-XX:+UnlockDiagnosticVMOptions"))
                    .isTrue();
            assertThat(ProcessCommand.isInherited(role, "-XX:ArchiveRelocationMode=0"))
                    .isTrue();
            assertThat(ProcessCommand.isInherited(role, "-XX:MetaspaceSize=128m"))
                    .isTrue();
            assertThat(ProcessCommand.isInherited(role, "-XX:TieredStopAtLevel=1"))
                    .isFalse();
            assertThat(ProcessCommand.isInherited(role, "-XX:Tier4InvocationThreshold=20000"))
                    .isTrue();
        }
    }
}
