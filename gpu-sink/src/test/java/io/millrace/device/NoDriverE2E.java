package io.millrace.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** A process of its own: this one may have the stub of the driver. */
class NoDriverE2E {
    /** Asks for a device twice, and prints what it is told. */
    static final class Asking {
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

    @Test
    void withoutADriverTheErrorSaysSoEachTime() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--add-opens=java.base/java.nio=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Asking.class.getName())
                .redirectErrorStream(true)
                .start();
        String told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(told).isZero();
        Assumptions.assumeFalse(told.contains("opened cuda:0"), "this machine has a GPU");
        Assumptions.assumeTrue(
                System.getProperty("os.name").equals("Linux")
                        && System.getProperty("os.arch").equals("amd64"),
                "JCuda has no library for this machine");

        assertThat(told.lines().toList()).hasSize(2).allSatisfy(line -> assertThat(line)
                .contains("there is no NVIDIA driver: libcuda.so.1 was not found")
                .contains("--gpus all"));
    }
}
