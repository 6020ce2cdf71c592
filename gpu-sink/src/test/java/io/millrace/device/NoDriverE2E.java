package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The error without a driver, in a separate process: this process may have loaded the stub of the driver. */
class NoDriverE2E {
    /** Opens a device twice, and prints the results. */
    static final class OpenTwice {
        public static void main(String[] args) {
            for (int i = 0; i < 2; i++) {
                try (CudaDevice device = CudaDevice.open(0)) {
                    System.out.println("opened " + device.describe());
                } catch (DeviceException e) {
                    System.out.println(e.getMessage());
                }
            }
        }
    }

    /** The system's loader writes its messages in the language of the user, if the messages are installed. */
    @ParameterizedTest
    @ValueSource(strings = {"en", "de", "ru"})
    void missingDriverIsReportedEachTime(String language) throws IOException, InterruptedException {
        String output = JavaProgram.output(Map.of("LC_ALL", "C.UTF-8", "LANGUAGE", language), OpenTwice.class);
        Assumptions.assumeFalse(output.contains("opened cuda:0"), "this machine has a GPU");
        Assumptions.assumeTrue(
                System.getProperty("os.name").equals("Linux")
                        && System.getProperty("os.arch").equals("amd64"),
                "JCuda has no library for this machine");

        // SLF4J reports that the class path of this test has no matching provider.
        List<String> printed =
                output.lines().filter(line -> !line.startsWith("SLF4J")).toList();
        assertThat(printed).hasSize(2).allSatisfy(line -> assertThat(line)
                .contains("there is no NVIDIA driver: libcuda.so.1 was not found")
                .contains("--gpus all"));
    }
}
