package io.millrace.dataset.files;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The names and their order in Python are from src/test/python/folder_vectors.py. */
class NameOrderTest {
    private static final Path NAMES = Path.of("src/test/resources/vectors/dataset/folder/names.json");

    @Test
    void namesAreSortedAsInPython() throws IOException {
        JsonNode json = new ObjectMapper().readTree(NAMES.toFile());

        List<String> names = texts(json.required("names"));
        names.sort(NameOrder.BY_CODE_POINT);

        assertThat(names).isEqualTo(texts(json.required("sorted")));
        assertThat(names).isNotEqualTo(names.stream().sorted().toList());
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(text -> texts.add(text.asText()));
        return texts;
    }
}
