package io.millrace.preview;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.image.ImageVectors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** A folder of ten small photos in two classes, one of them truncated, and pipelines that read it. */
record PhotoPipeline(Path root) {
    /** The truncated photo. */
    static final String BAD = "dog/1.jpg";

    static PhotoPipeline make(Path root) throws IOException {
        List<String> vectors = List.of("rgb420", "rgb444", "rgb422", "quality30", "gray");
        for (String name : List.of("cat", "dog")) {
            Path folder = Files.createDirectories(root.resolve("photos").resolve(name));
            for (int i = 0; i < vectors.size(); i++) {
                byte[] file = ImageVectors.file("decode/" + vectors.get(i) + ".jpg");
                boolean bad = BAD.equals(name + "/" + i + ".jpg");
                Files.write(folder.resolve(i + ".jpg"), bad ? Arrays.copyOf(file, file.length / 2) : file);
            }
        }
        return new PhotoPipeline(root);
    }

    /** Returns a pipeline file with random transforms for training and for evaluation, which runs after every second epoch. */
    Path file() throws IOException {
        String text = """
                name: photos
                dataset: {format: folder, path: %1$s/photos, epochs: 2}
                order: {seed: 7}
                parallelism: 2
                transforms:
                  - decode
                  - RandomResizedCrop: {size: [12, 8]}
                  - RandomHorizontalFlip
                  - RandomMask: {ratio: 0.1}
                batch: {size: 4, max_quarantined: 1}
                device: {kind: host, transforms: [{ToFloat: {scale: 255}}, {Normalize: {mean: [0.5, 0.25, 0.75], std: [0.5, 2, 0.25]}}]}
                train: {model: none}
                evaluate:
                  dataset: {format: folder, path: %1$s/photos}
                  transforms: [decode, {RandomCrop: {size: [12, 8]}}, {RandomMask: {ratio: 0.1}}]
                  every: 2
                run: {folder: %1$s/runs}
                """.formatted(root);
        return Files.writeString(root.resolve("photos.yaml"), text);
    }

    PipelineConfig config() throws Exception {
        return ConfigReader.read(file(), List.of());
    }
}
