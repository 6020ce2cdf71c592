package io.millrace.train.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.train.Vectors;
import io.millrace.train.spec.TrainSpecException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A check that libtorch has the functions that Millrace calls. */
class LibtorchTest {
    @BeforeAll
    static void load() {
        TrainingRuntime.preload();
    }

    @ParameterizedTest
    @EnumSource
    void loadedLibtorchHasTheFunction(Libtorch function) {
        assertThatCode(function::function).doesNotThrowAnyException();
    }

    /**
     * The lists contain the output of {@code nm -D --defined-only libtorch_cpu.so} about {@code at::Context}, {@code
     * at::globalContext} and {@code at::autocast} in the wheels of these versions.
     */
    @ParameterizedTest
    @ValueSource(strings = {"2.7.1", "2.13.0"})
    void oldestAndNewestKnownLibtorchHaveAllFunctions(String version) throws IOException {
        List<String> symbols = Files.readAllLines(Vectors.file("libtorch-" + version + ".symbols"));
        assertThat(symbols).hasSizeGreaterThan(50);
        for (Libtorch function : Libtorch.values()) {
            assertThat(symbols).as(function.name()).contains(function.symbol);
        }
    }

    @Test
    void missingFunctionIsReportedWithItsPurposeAndTheVersions() {
        assertThatThrownBy(() -> Libtorch.find("_ZNK2at7Context14allowTF32CuDNNEw", "the test needs"))
                .isInstanceOf(TrainSpecException.class)
                .hasMessageContaining("libtorch " + TrainingRuntime.version() + " in ")
                .hasMessageContaining("has no function _ZNK2at7Context14allowTF32CuDNNEw, which the test needs")
                .hasMessageContaining("expected libtorch 2.7 or newer");
    }
}
