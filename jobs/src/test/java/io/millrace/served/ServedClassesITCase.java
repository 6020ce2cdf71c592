package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.SmallData;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The delivery of a dataset with more names of classes than other messages than PLAN could hold. */
class ServedClassesITCase {
    @TempDir
    Path folder;

    @Test
    void planHasTheNamesOfVeryManyClasses() throws Exception {
        int classes = 150_000;
        Path many = Files.createDirectories(folder.resolve("many"));
        Path image;
        try (Stream<Path> all = Files.walk(SmallData.photos(folder.resolve("photos"), 4, 0, 1))) {
            image = all.filter(file -> file.toString().endsWith(".jpg"))
                    .findFirst()
                    .orElseThrow();
        }
        Files.copy(image, many.resolve("one.jpg"));
        List<String> lines = new ArrayList<>(List.of("file,label"));
        for (int i = 0; i < classes; i++) {
            lines.add(String.format("one.jpg,class %06d", i));
        }
        Files.write(many.resolve("labels.csv"), lines);
        ServedRun run = new ServedRun(
                SmallData.photosPipeline(folder.resolve("many.yaml"), many, folder.resolve("runs")), folder, 1);
        try (ServedClient client = run.client(0, "inline").seek(0)) {
            JsonNode names = client.plan().required("classes");
            assertThat(names).hasSize(classes);
            assertThat(names.get(classes - 1).asText()).isEqualTo("class 149999");
            assertThat(client.take().rows()).allMatch(row -> row.label() == row.index());
            run.finish(client);
        }
    }
}
