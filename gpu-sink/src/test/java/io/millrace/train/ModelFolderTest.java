package io.millrace.train;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.millrace.train.network.Models;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.state.HostValues;
import io.millrace.train.state.SafeTensors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelFolderTest {
    @Test
    void savedTensorsAreThoseOfTheFingerprint(@TempDir Path folder) throws IOException {
        Vectors vectors = Vectors.read("convnet_adam.safetensors");
        TrainSpec spec = TrainingFigures.spec(
                vectors.spec(),
                TrainingFigures.COLOR,
                part(Models.all(), "convnet", Map.of("channels", List.of(4L, 8L), "classes", 3L)),
                TrainingFigures.ADAM);
        String sha256;
        try (TrainStep step = TrainStep.open(spec, 8)) {
            step.save(folder);
            sha256 = step.parametersSha256();
        }
        MessageDigest digest = ParameterDigest.sha256();
        Vectors saved = new Vectors(SafeTensors.read(folder.resolve("model.safetensors")));
        saved.tensors().values().forEach(tensor -> digest.update(tensor.values()));
        assertThat(HexFormat.of().formatHex(digest.digest())).isEqualTo(sha256);
        assertThat(saved.tensor("conv2.weight").shape()).containsExactly(8L, 4L, 3L, 3L);
        assertThat(saved.tensors()).containsKeys("bn1.running_mean", "bn2.running_var", "fc.bias");
    }

    @Test
    void descriptionNamesTheModelItsInputsAndItsTraining(@TempDir Path folder) throws IOException {
        Vectors vectors = Vectors.read("mlp_adam.safetensors");
        TrainSpec spec = TrainingFigures.spec(
                vectors.spec(),
                TrainingFigures.GRAY,
                part(Models.all(), "mlp", Map.of("hidden", List.of(16L, 8L), "classes", 5L)),
                TrainingFigures.ADAM);
        try (TrainStep step = TrainStep.open(spec, 8)) {
            step.save(folder);
        }
        JsonObject description = JsonParser.parseString(Files.readString(folder.resolve("model.json")))
                .getAsJsonObject();
        assertThat(description.get("parameters").getAsLong()).isEqualTo(36 * 16 + 16 + 16 * 8 + 8 + 8 * 5 + 5);
        assertThat(description
                        .getAsJsonObject("model")
                        .getAsJsonObject("mlp")
                        .get("classes")
                        .getAsInt())
                .isEqualTo(5);
        assertThat(description.getAsJsonObject("input").get("shape").toString()).isEqualTo("[6,6,1]");
        assertThat(description.getAsJsonArray("device_transforms")).hasSize(2);
        // Defaults are written out, because readers of the file do not have Millrace's defaults.
        assertThat(description
                        .getAsJsonObject("optimizer")
                        .getAsJsonObject("adam")
                        .get("betas")
                        .toString())
                .isEqualTo("[0.9,0.999]");
    }

    @Test
    void aFileThatIsTooShortIsRefused(@TempDir Path folder) throws IOException {
        Path file = Files.write(folder.resolve("short.safetensors"), new byte[] {100, 0, 0, 0, 0, 0, 0, 0, '{'});
        assertThatThrownBy(() -> SafeTensors.read(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("short.safetensors")
                .hasMessageContaining("length of 100");
    }

    @Test
    void valuesBeyondTwoGigabytesAreFound(@TempDir Path folder) throws IOException {
        long far = 5L << 30;
        byte[] header = ("{\"near\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
                        + "\"far\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[" + far + "," + (far + 8) + "]}}")
                .getBytes(StandardCharsets.UTF_8);
        ByteBuffer head = ByteBuffer.allocate(Long.BYTES + header.length).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer values = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        Path file = folder.resolve("large.safetensors"); // a sparse file, which needs no space on the disk
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            channel.write(head.putLong(header.length).put(header).flip());
            channel.write(values.putFloat(1.5f).putFloat(-2).flip(), head.limit() + far);
        }
        Vectors read = new Vectors(SafeTensors.read(file));
        assertThat(read.floats("far")).containsExactly(1.5f, -2);
        assertThat(read.floats("near")).containsExactly(0);
    }

    @Test
    void aTensorOutsideTheFileIsRefused(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("cut.safetensors");
        SafeTensors.write(file, List.of(new SafeTensors.Stored("weight", "F32", List.of(2L), HostValues.zeros(8))));
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(channel.size() - 3);
        }
        assertThatThrownBy(() -> SafeTensors.read(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("'weight' should have its values at bytes 0 to 8 of 5");
    }
}
