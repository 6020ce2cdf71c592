package io.millrace.train.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bridges with and without CUDA, as DJL publishes them. */
class EngineBridgeTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"cpu, false", "cu128, true"})
    void publishedBridgesShowWhetherTheyWereCompiledForCuda(String flavor, boolean forCuda) throws IOException {
        Path file = folder.resolve(System.mapLibraryName("djl_torch"));
        String published = "jnilib/linux-x86_64/" + flavor + "/libdjl_torch.so";
        try (InputStream in = EngineBridge.class.getClassLoader().getResourceAsStream(published)) {
            Files.copy(Objects.requireNonNull(in, published), file);
        }
        EngineBridge bridge = EngineBridge.of(file);
        assertThat(bridge.forCuda()).isEqualTo(forCuda);
        assertThat(bridge.warning() == null).isEqualTo(forCuda);
    }

    @Test
    void warningNamesTheFileTheMissingOptionAndTheEffect() throws IOException {
        Path file = Files.writeString(folder.resolve("libdjl_torch.so"), "an allocator, but not that of CUDA");
        assertThat(EngineBridge.of(file).warning()).contains(file.toString(), "-DUSE_CUDA", "stays with this process");
    }

    @Test
    void nameAtTheEndOfTheFileIsFound() throws IOException {
        Path file = Files.writeString(folder.resolve("libdjl_torch.so"), "_ZN3c104cuda20CUDACachingAllocator");
        assertThat(EngineBridge.of(file).forCuda()).isTrue();
        assertThat(EngineBridge.of(Files.writeString(file, "CUDACachingAllocato"))
                        .forCuda())
                .isFalse();
        assertThat(EngineBridge.of(Files.writeString(file, "")).forCuda()).isFalse();
    }

    @Test
    void loadedBridgeIsFoundAmongTheLoadedFiles() throws IOException {
        Path file = folder.resolve("lib of Müller").resolve("0.35.1-libdjl_torch.so");
        Files.createDirectories(file.getParent());
        Files.writeString(file, "CUDACachingAllocator");
        String line = new String(
                ("7f0000000000-7f0000001000 r-xp 00000000 fe:00 12   " + file).getBytes(StandardCharsets.UTF_8),
                StandardCharsets.ISO_8859_1);
        assertThat(EngineBridge.in(List.of("7f00-7f01 rw-p 00000000 00:00 0 ", "7f00 r-xp /lib/libc.so.6", line)))
                .contains(new EngineBridge(file, true));
        assertThat(EngineBridge.in(List.of(line + " (deleted)"))).isEmpty();
        Files.delete(file);
        assertThat(EngineBridge.in(List.of(line))).isEmpty();
    }

    /** The bridge is read for a warning, so a file that cannot be read must not end a run. */
    @Test
    void loadedBridgeThatCannotBeReadIsUnknown() throws IOException {
        Path unreadable = Files.createDirectory(folder.resolve("libdjl_torch.so"));
        assertThat(EngineBridge.in(List.of("7f00-7f01 r-xp 00000000 fe:00 12 " + unreadable)))
                .isEmpty();
    }

    @Test
    void bridgeOfThisProcessIsFoundOnceTheEngineIsLoaded() {
        Assumptions.assumeTrue(System.getProperty("os.name").equals("Linux"), "only Linux lists the loaded files");
        EngineFacts facts = EngineFacts.read();
        EngineBridge bridge = Objects.requireNonNull(facts.bridge(), "the bridge");
        assertThat(bridge.file()).exists();
        if (facts.flavor() != null && facts.flavor().startsWith("cpu")) {
            assertThat(bridge.forCuda()).isFalse();
            assertThat(facts.bridgeWarning()).as("libtorch is for CPUs too").isNull();
        }
    }

    @Test
    void bridgeWithoutCudaIsReportedBesideLibtorchForCuda() throws IOException {
        EngineBridge bridge = new EngineBridge(folder.resolve("libdjl_torch.so"), false);
        EngineFacts facts = new EngineFacts("2.11.0", null, false, folder.toString(), bridge);
        assertThat(facts.bridgeWarning()).isNull();
        Files.createFile(folder.resolve(System.mapLibraryName("torch_cuda")));
        assertThat(facts.bridgeWarning()).isEqualTo(bridge.warning());
    }
}
