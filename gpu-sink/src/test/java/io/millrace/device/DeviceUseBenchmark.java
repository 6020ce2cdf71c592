package io.millrace.device;

import java.util.Arrays;
import java.util.Locale;

/** The cost of timing steps and copies on the host; prints the median of some rounds. */
final class DeviceUseBenchmark {
    private static final int ROUNDS = 9;
    private static final int CALLS = 2_000_000;

    private DeviceUseBenchmark() {}

    public static void main(String[] arguments) {
        double[] steps = new double[ROUNDS];
        double[] copies = new double[ROUNDS];
        try (HostDevice device = new HostDevice()) {
            DeviceUse use = device.use();
            for (int round = 0; round < ROUNDS; round++) {
                long began = System.nanoTime();
                for (int i = 0; i < CALLS; i++) {
                    use.stepEnqueued();
                    use.stepBegan();
                    use.stepEnded();
                }
                long stepped = System.nanoTime();
                for (int i = 0; i < CALLS; i++) {
                    use.copying();
                    use.copied(1);
                }
                steps[round] = (double) (stepped - began) / CALLS;
                copies[round] = (double) (System.nanoTime() - stepped) / CALLS;
            }
        }
        Arrays.sort(steps);
        Arrays.sort(copies);
        System.out.printf(
                Locale.ROOT, "a step %.0f ns, a run of copies %.0f ns%n", steps[ROUNDS / 2], copies[ROUNDS / 2]);
    }
}
