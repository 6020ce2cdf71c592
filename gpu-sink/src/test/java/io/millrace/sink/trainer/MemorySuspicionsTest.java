package io.millrace.sink.trainer;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.device.CudaDevice;
import io.millrace.device.DeviceBrokenException;
import io.millrace.device.DeviceMemoryException;
import io.millrace.device.StubDriver;
import io.millrace.device.SuspectedMemoryException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemorySuspicionsTest {
    @TempDir
    Path folder;

    private final SuspectedMemoryException first = error();
    private final SuspectedMemoryException second = error();

    private static SuspectedMemoryException error() {
        return new SuspectedMemoryException("a step failed: CUDNN_STATUS_INTERNAL_ERROR", new IllegalStateException());
    }

    /** Returns the decision of an attempt; each attempt has an object of its own. */
    private MemorySuspicions attempt(String job) {
        return new MemorySuspicions(folder, job);
    }

    @Test
    void sameErrorInTheNextAttemptIsRepeated() {
        assertThat(attempt("a").judge(first, 7, null)).isSameAs(first);
        assertThat(attempt("a").judge(second, 7, null))
                .isInstanceOf(DeviceMemoryException.class)
                .hasMessageContaining("after this error at batch 7, and it occurred again at batch 7. Set a smaller")
                .hasCause(second);
    }

    @Test
    void errorBeforeTheBatchOfTheFirstOneIsRepeated() {
        assertThat(attempt("a").judge(first, 7, null)).isSameAs(first);
        assertThat(attempt("a").judge(second, 0, null)).isInstanceOf(DeviceMemoryException.class);
    }

    @Test
    void errorAtALaterBatchIsAFirstOneAgain() {
        assertThat(attempt("a").judge(first, 7, null)).isSameAs(first);
        assertThat(attempt("a").judge(second, 8, null)).isSameAs(second);
        assertThat(attempt("a").judge(error(), 8, null)).isInstanceOf(DeviceMemoryException.class);
    }

    @Test
    void errorThatIsHandedOverTwiceCountsOnce() {
        MemorySuspicions attempt = attempt("a");
        assertThat(attempt.judge(first, 7, null)).isSameAs(first);
        assertThat(attempt.judge(first, 7, null)).isSameAs(first);
    }

    @Test
    void errorOfAnotherJobDoesNotCount() {
        assertThat(attempt("a").judge(first, 7, null)).isSameAs(first);
        assertThat(attempt("b").judge(second, 7, null)).isSameAs(second);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[]", "7", "{\"job\": \"a\"}"})
    void damagedFileCountsAsNoError(String content) throws Exception {
        Files.writeString(folder.resolve(MemorySuspicions.NAME), content);
        assertThat(attempt("a").judge(first, 7, null)).isSameAs(first);
        assertThat(attempt("a").judge(second, 7, null)).isInstanceOf(DeviceMemoryException.class);
    }

    @Test
    void fileThatCannotBeWrittenIsNamed() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        assertThat(new MemorySuspicions(file, "a").judge(first, 7, null)).isSameAs(first);
        assertThat(first.getSuppressed())
                .singleElement()
                .asString()
                .contains("cannot write " + file.resolve(MemorySuspicions.NAME));
    }

    @Test
    @ExtendWith(StubDriver.Needed.class)
    void freeMemoryOfTheDeviceIsPartOfTheMessage() {
        StubDriver driver = StubDriver.fresh();
        driver.limit(Long.MAX_VALUE, 3L << 30);
        try (CudaDevice device = CudaDevice.open(0)) {
            attempt("a").judge(first, 7, device);
            assertThat(attempt("a").judge(second, 7, device))
                    .hasMessageContaining("; 3.00 GiB of the 3.00 GiB of cuda:0 (Stub GPU 0) are free now. Set");
        }
    }

    @Test
    @ExtendWith(StubDriver.Needed.class)
    void brokenDeviceEndsTheProcess() {
        StubDriver driver = StubDriver.fresh();
        try (CudaDevice device = CudaDevice.open(0)) {
            driver.failFrom(1, 700);
            assertThat(attempt("a").judge(first, 7, device))
                    .isInstanceOf(DeviceBrokenException.class)
                    .hasMessageContaining("CUDA_ERROR_ILLEGAL_ADDRESS")
                    .hasSuppressedException(first);
            driver.failAt(0, 0);
        }
        assertThat(folder.resolve(MemorySuspicions.NAME)).doesNotExist();
    }
}
