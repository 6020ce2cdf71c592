package io.millrace.python;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WorkerProgramTest {
    @Test
    void eachFileOfTheProgramIsSent() throws Exception {
        try (Stream<Path> files = Files.list(Path.of("src/main/resources/io/millrace/python/millrace_worker"))) {
            assertThat(files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith(".py") && !name.equals("__init__.py"))
                            .map(name -> name.substring(0, name.length() - 3)))
                    .containsExactlyInAnyOrderElementsOf(WorkerProgram.MODULES);
        }
    }
}
