package io.millrace.dataset.coco;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files that ask for much memory or time. {@code BombsE2E} has larger ones. */
class CocoBombsTest {
    @TempDir
    Path folder;

    private Dataset open(String json) throws IOException {
        Path file = Files.writeString(folder.resolve("bomb.json"), json.replace('\'', '"'));
        return CocoDatasetTest.open(
                Files.createDirectories(folder.resolve("pictures")),
                file,
                Map.of("fields", List.of("masks", "keypoints")));
    }

    private static String segmentation(int height, int width, String segmentation) {
        return "{'images': [{'id': 1, 'file_name': 'a.png', 'height': " + height + ", 'width': " + width
                + "}], 'annotations': [{'id': 1, 'image_id': 1, 'category_id': 1, 'segmentation': " + segmentation
                + "}]}";
    }

    @Test
    void memoryIsLimitedToThreeQuartersOfTheHeap() throws Exception {
        CocoMemory memory = new CocoMemory("some.json", 1000);
        memory.add("a".repeat(100));
        memory.add(700);
        assertThatThrownBy(() -> memory.add(1))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith(
                        "some.json: expected images and annotations that take at most three quarters of the heap, 1000 bytes,"
                                + " found more; a larger heap holds more");
    }

    @Test
    void polygonsThatTakeLongToDrawAreABadSample() throws Exception {
        String zigzag = "0, 0, 1048576, 9, ".repeat(1000);
        try (Dataset dataset = open(segmentation(9, 9, "[[" + zigzag + "0, 0]]"))) {
            assertThatThrownBy(() -> dataset.read(0))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageContaining(
                            "expected polygons that can be drawn in 2147483648 steps as segmentation, found 10485");
        }
        String squares = "[0, 0, 3000, 0, 3000, 3000], ".repeat(1000);
        try (Dataset dataset = open(segmentation(3000, 3000, "[" + squares + "[0, 0, 8, 0, 8, 8]]"))) {
            assertThatThrownBy(() -> dataset.read(0)).hasMessageContaining("expected polygons that can be drawn in");
        }
        try (Dataset dataset = open(segmentation(3000, 3000, "[[0, 0, 3000, 0, 3000, 3000]]"))) {
            byte[] mask = dataset.read(0).field("masks").data();
            assertThat(mask[1500]).isEqualTo((byte) 1);
            assertThat(mask[2999 * 3000]).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1000000000, 1000000000, 'found 1000000000 and 1000000000'",
        "1, 2000000000, 'expected masks of at most'",
        "0, 9, 'found 0 and 9'"
    })
    void masksOfHugePicturesAreABadSample(int height, int width, String message) throws Exception {
        try (Dataset dataset = open(segmentation(height, width, "[[1, 1, 3, 1, 3, 3]]"))) {
            assertThatThrownBy(() -> dataset.read(0))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageContaining(message);
        }
    }

    @Test
    void deepListsAndLongNumbersAreRefusedWithTheirPlace() {
        assertThatThrownBy(() -> open("{'x': " + "[".repeat(2000)))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining(
                        "numbers of at most 1000 digits, and lists and objects at most 1000 deep, found more in line 1,"
                                + " column");
        assertThatThrownBy(() -> open("{'images': [{'id': " + "9".repeat(2000) + "}]}"))
                .hasMessageContaining("numbers of at most 1000 digits");
    }
}
