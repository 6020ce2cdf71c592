package io.millrace.train.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.engine.Engine;
import io.millrace.device.DeviceException;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Error messages about libraries that do not fit together, from files like those of real installations. */
class EngineNativesTest {
    private static final String JNI = "2.7.1";

    @TempDir
    Path root;

    private Path lib;

    @BeforeEach
    void install() throws IOException {
        lib = Files.createDirectories(root.resolve("torch/lib"));
        Files.createFile(lib.resolve(System.mapLibraryName("torch")));
    }

    private EngineNatives installed(@Nullable String version, @Nullable String flavor) {
        return new EngineNatives(lib, version, flavor, JNI, List.of("cpu", "cu128"), List.of("cpu"));
    }

    private static EngineNatives onClassPath(String... flavors) {
        return new EngineNatives(null, null, null, JNI, List.of("cpu", "cu128"), List.of(flavors));
    }

    @Test
    void librariesOfThisProcessHaveOneVersion() {
        EngineNatives found = EngineNatives.find();
        String given = found.versionGiven();
        assertThat(TrainingRuntime.version()).isEqualTo(given == null ? found.jniVersion() : given);
        assertThat(found.jniFlavors()).contains("cpu", "cu128");
        assertThatCode(found::requireOneVersion).doesNotThrowAnyException();
    }

    @Test
    void jniLibraryInAJarIsFoundForCuda13AndForTheFlavorOfTheEnvironment() throws IOException {
        for (String flavor : List.of("cu130", "cu199")) {
            Path folder = Files.createDirectories(root.resolve("jar/jnilib/linux-x86_64/" + flavor));
            Files.createFile(folder.resolve(System.mapLibraryName("djl_torch")));
        }
        try (URLClassLoader jar =
                new URLClassLoader(new URL[] {root.resolve("jar").toUri().toURL()}, null)) {
            assertThat(EngineNatives.jniFlavors(null, jar)).containsExactly("cu130");
            assertThat(EngineNatives.jniFlavors("cu130", jar)).containsExactly("cu130");
            assertThat(EngineNatives.jniFlavors("cu199", jar)).containsExactly("cu130", "cu199");
            assertThat(EngineNatives.jniFlavors("cu198", jar)).containsExactly("cu130");
        }
    }

    @Test
    void pythonPackageOfAnotherVersionIsRefused() throws IOException {
        Files.writeString(
                root.resolve("torch/version.py"), "debug = False\n__version__ = '2.8.0+cu128'\ncuda = '12.8'\n");
        assertThatThrownBy(() -> installed(JNI, "cu128").requireOneVersion())
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("is PyTorch 2.8.0")
                .hasMessageContaining("is for 2.7.1: together they would crash. Install PyTorch 2.7.1")
                .hasMessageContaining(System.mapLibraryName("djl_torch") + " that was built for it");
    }

    @Test
    void libtorchOfAnotherVersionIsRefused() throws IOException {
        Files.writeString(root.resolve("torch/build-version"), "2.6.0+cu124\n");
        assertThatThrownBy(() -> installed(JNI, "cu128").requireOneVersion()).hasMessageContaining("is PyTorch 2.6.0");
    }

    @Test
    void librariesOfOneVersionAreAccepted() throws IOException {
        Files.writeString(root.resolve("torch/version.py"), "__version__ = '2.7.1+cu128'\n");
        assertThatCode(() -> installed(JNI, "cu128").requireOneVersion()).doesNotThrowAnyException();
        assertThatCode(() -> installed(null, "cu128").requireOneVersion()).doesNotThrowAnyException();
    }

    @Test
    void jniLibraryBesideLibtorchHasItsVersion() throws IOException {
        Files.writeString(root.resolve("torch/version.py"), "__version__ = '2.8.0'\n");
        Files.createFile(lib.resolve(System.mapLibraryName("djl_torch")));
        assertThatCode(() -> installed("2.8.0", null).requireOneVersion()).doesNotThrowAnyException();
        assertThatThrownBy(() -> installed(null, null).requireOneVersion())
                .hasMessageContaining("PyTorch 2.8.0 with a JNI library of its own")
                .hasMessageContaining("not set, and DJL assumes 2.7.1: set PYTORCH_VERSION=2.8.0");
        assertThatThrownBy(() -> installed("2.9.0", null).requireOneVersion())
                .hasMessageContaining("PYTORCH_VERSION is 2.9.0: set PYTORCH_VERSION=2.8.0");
    }

    @Test
    void jniLibraryBesideLibtorchOfUnknownVersionIsAccepted() throws IOException {
        Files.createFile(lib.resolve(System.mapLibraryName("djl_torch")));
        assertThatCode(() -> installed("2.8.0", null).requireOneVersion()).doesNotThrowAnyException();
        assertThatCode(() -> installed(null, null).requireOneVersion()).doesNotThrowAnyException();
    }

    @Test
    void jniLibraryInDjlsCacheHasTheVersionOfItsFolder() throws IOException {
        Files.writeString(root.resolve("torch/version.py"), "__version__ = '2.8.0'\n");
        String cache = System.setProperty("ENGINE_CACHE_DIR", root.toString());
        try {
            assertThatThrownBy(() -> installed("2.8.0", "cu130").requireOneVersion())
                    .hasMessageContaining("PYTORCH_VERSION is 2.8.0");
            Path folder = Files.createDirectories(root.resolve("pytorch/2.8.0-cu130-linux-x86_64"));
            Files.createFile(folder.resolve(Engine.getDjlVersion() + "-" + System.mapLibraryName("djl_torch")));
            assertThatCode(() -> installed("2.8.0", "cu130").requireOneVersion())
                    .doesNotThrowAnyException();
        } finally {
            if (cache == null) {
                System.clearProperty("ENGINE_CACHE_DIR");
            } else {
                System.setProperty("ENGINE_CACHE_DIR", cache);
            }
        }
    }

    @Test
    void versionOfTheEnvironmentThatDiffersFromTheJniLibraryIsRefused() {
        assertThatThrownBy(() -> installed("2.8.0", "cu128").requireOneVersion())
                .hasMessageContaining("PYTORCH_VERSION is 2.8.0")
                .hasMessageContaining("is for PyTorch 2.7.1");
    }

    @Test
    void flavorWithoutAJniLibraryIsRefused() {
        assertThatThrownBy(() -> installed(JNI, null).requireOneVersion())
                .hasMessageContaining("PYTORCH_FLAVOR is not set")
                .hasMessageContaining("of [cpu, cu128]");
        assertThatThrownBy(() -> installed(JNI, "cu118").requireOneVersion())
                .hasMessageContaining("PYTORCH_FLAVOR is 'cu118'");
    }

    @Test
    void folderWithoutLibtorchIsRefused() throws IOException {
        Files.delete(lib.resolve(System.mapLibraryName("torch")));
        assertThatThrownBy(() -> installed(JNI, "cu128").requireOneVersion())
                .hasMessageContaining("which has no " + System.mapLibraryName("torch"));
    }

    @Test
    void librariesForCpusAreReportedWithTheMissingArtifact() {
        assertThatThrownBy(() -> onClassPath("cpu").requireCuda())
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("for CPUs only ([cpu])")
                .hasMessageContaining("pytorch-native-cu128 2.7.1")
                .hasMessageContaining("PYTORCH_LIBRARY_PATH")
                .hasMessageContaining("PYTORCH_FLAVOR=cu128");
        assertThatCode(() -> onClassPath("cpu", "cu128").requireCuda()).doesNotThrowAnyException();
        assertThatCode(() -> onClassPath().requireCuda()).doesNotThrowAnyException();
    }

    @Test
    void installedPyTorchWithoutCudaIsReported() throws IOException {
        assertThatThrownBy(() -> installed(JNI, "cpu").requireCuda())
                .hasMessageContaining("a PyTorch without CUDA")
                .hasMessageContaining("PYTORCH_FLAVOR=cu128");
        Files.createFile(lib.resolve(System.mapLibraryName("torch_cuda")));
        assertThatCode(() -> installed(JNI, "cu128").requireCuda()).doesNotThrowAnyException();
    }

    @Test
    void engineThatFindsNoGpuReportsTheReason() {
        assertThat(onClassPath("cpu", "cu128").withoutCuda(JNI)).hasMessageContaining("libcudart.so");
        assertThat(onClassPath().withoutCuda(JNI)).hasMessageContaining("pytorch-native-cu128");
        assertThat(installed(JNI, "cu128").withoutCuda(JNI)).hasMessageContaining("is the driver new enough");
    }

    @Test
    void missingLibtorchIsAnErrorUnlessDjlMayDownloadIt() {
        String before = System.getProperty("ai.djl.offline");
        try {
            System.setProperty("ai.djl.offline", "true");
            assertThatThrownBy(onClassPath()::requireOneVersion)
                    .isInstanceOf(DeviceException.class)
                    .hasMessageStartingWith(
                            "no PyTorch 2.7.1 was found, whose libtorch models and transforms on the device need")
                    .hasMessageContaining("pip install torch==2.7.1");
            System.setProperty("ai.djl.offline", "false");
            assertThatCode(onClassPath()::requireOneVersion).doesNotThrowAnyException();
        } finally {
            if (before == null) {
                System.clearProperty("ai.djl.offline");
            } else {
                System.setProperty("ai.djl.offline", before);
            }
        }
    }
}
