package io.millrace.dataset.packed;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.order.EpochOrder;
import io.millrace.order.Shuffle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("processes")
class WindowClaimsTest {
    /** Prints the number of some windows, after other objects have got identity hashes. */
    static final class Printed {
        private Printed() {}

        public static void main(String[] identities) {
            for (int i = 0; i < Integer.parseInt(identities[0]); i++) {
                System.identityHashCode(new Object());
            }
            EpochOrder order = new EpochOrder(3, 1000, Shuffle.FULL);
            System.out.print(WindowClaims.number(order, 16));
        }
    }

    @Test
    void processesHaveTheSameNumberOfTheSameWindows() throws Exception {
        assertThat(printed(1)).matches("-?[0-9]+").isEqualTo(printed(1000));
    }

    private static String printed(int identities) throws Exception {
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Printed.class.getName(),
                        String.valueOf(identities)))
                .redirectErrorStream(true)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return printed;
    }
}
