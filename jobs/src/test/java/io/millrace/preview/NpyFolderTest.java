package io.millrace.preview;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.config.PipelineConfig;
import io.millrace.dataset.npy.NpyFile;
import io.millrace.pipeline.RunPlanner;
import io.millrace.preview.NpyFolder.FieldFiles;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Roles;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NpyFolderTest {
    private static final int HEADER_BYTES = 128;
    private static final float[] MEAN = {0.5f, 0.25f, 0.75f};
    private static final float[] STD = {0.5f, 2, 0.25f};

    @TempDir
    Path root;

    @Test
    void anImageIsWrittenAsInTheBatchAndAsTheInputOfTheModel() throws Exception {
        PipelineConfig config = PhotoPipeline.make(root).config();
        try (PreviewRun run = PreviewRun.open(config, RunPlanner.plan(config), Split.TRAIN, 1);
                NpyFolder folder = NpyFolder.open(
                        root.resolve("a/npy"), Roles.DEFAULT, config.device().transforms())) {
            SampleView view = goodOne(run);
            List<FieldFiles> files = folder.write(view);

            String stem = "%08d-image".formatted(view.sample().position());
            assertThat(files).containsExactly(new FieldFiles("image", stem + ".npy", stem + "-device.npy"));
            Field image = view.sample().image();
            assertThat(Files.readAllBytes(root.resolve("a/npy/" + stem + ".npy")))
                    .isEqualTo(NpyFile.of(DType.UINT8, new int[] {12, 8, 3}, image.data()));
            byte[] seen = Files.readAllBytes(root.resolve("a/npy/" + stem + "-device.npy"));
            assertThat(new String(seen, 0, HEADER_BYTES, StandardCharsets.ISO_8859_1))
                    .contains("'<f4'", "(3, 12, 8)");
            FloatBuffer floats = ByteBuffer.wrap(seen, HEADER_BYTES, seen.length - HEADER_BYTES)
                    .slice()
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .asFloatBuffer();
            for (int pixel = 0; pixel < 12 * 8; pixel++) {
                for (int channel = 0; channel < 3; channel++) {
                    float value = (image.data()[3 * pixel + channel] & 0xFF) / 255f;
                    assertThat(floats.get(channel * 12 * 8 + pixel))
                            .isCloseTo((value - MEAN[channel]) / STD[channel], within(1e-6f));
                }
            }
        }
    }

    @Test
    void aDeviceTransformThatCannotUseTheImageIsReported() throws Exception {
        PipelineConfig config = PhotoPipeline.make(root).config();
        List<Component> transforms = config.device().transforms();
        Field gray = Field.image(2, 2, 1, new byte[4]);
        SampleView view = new SampleView(
                new Sample(3, "cat/3.jpg", 0).placeAt(3, 0, Split.TRAIN).put("image", gray),
                0L,
                "cat",
                List.of(),
                Map.of());
        try (NpyFolder folder = NpyFolder.open(root.resolve("npy"), Roles.DEFAULT, transforms)) {
            assertThatThrownBy(() -> folder.write(view))
                    .isInstanceOf(PreviewException.class)
                    .hasMessageContaining("cat/3.jpg")
                    .hasMessageContaining("Normalize");
        }
    }

    private static SampleView goodOne(PreviewRun run) throws Exception {
        SampleView view = run.view(0);
        return view.sample().badSample() == null ? view : run.view(1);
    }
}
