package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.SmallData;
import io.millrace.python.PythonTrainer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * A training whose processes are killed and started again with another number of ranks: its model and the samples of its steps are
 * those of a training on one rank that nobody disturbed.
 */
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class ServedWorldsE2E {
    private static final long SEED = 4;
    private static final int EPOCHS = 8;

    /** The last batch of an epoch has one sample, so that all ranks but one get a padded row. */
    private static final int SAMPLES = 481;

    private static final int STEPS_PER_EPOCH = 16;

    @TempDir
    Path folder;

    private final Random random = new Random(SEED);

    @Test
    void oneThenFourThenTwoRanksTrainWhatOneTrains() throws Exception {
        PythonTrainer python = PythonTrainer.find();
        Path digits = SmallData.digits(folder.resolve("digits"), SAMPLES);
        Path pipeline = SmallData.servedPipeline(folder.resolve("digits.yaml"), digits, folder.resolve("runs"), EPOCHS);
        JsonNode expected;
        List<String> ledger;
        try (ServedRanks alone = new ServedRanks(folder.resolve("alone"), python, pipeline)) {
            alone.hurry();
            alone.beginServer(1);
            alone.startRanks(1);
            expected = alone.finish();
            ledger = alone.ledger();
            assertThat(ledger).hasSize(EPOCHS * SAMPLES);
        }
        try (ServedRanks changing = new ServedRanks(folder.resolve("changing"), python, pipeline)) {
            long step = 0;
            for (int world : List.of(1, 4, 2)) {
                changing.killRanks();
                changing.server().close();
                changing.beginServer(world);
                changing.startRanks(world);
                step = awaitMore(changing, world, step);
                ServerProcess.kill(changing.ranks().get(random.nextInt(world)));
                changing.startRanks(world);
                step = awaitMore(changing, world, step);
                ServerProcess.kill(changing.server().process());
                changing.beginServer(world);
                if (world > 1) { // one rank may have received the step that another one still waits for
                    changing.startRanks(world);
                }
                step = awaitMore(changing, world, step);
            }
            assertThat(step).isLessThan(EPOCHS * STEPS_PER_EPOCH);
            changing.hurry();
            JsonNode result = changing.finish();
            assertThat(changing.ledger()).isEqualTo(ledger);
            assertThat(result).isEqualTo(expected);
        }
    }

    private long awaitMore(ServedRanks ranks, int world, long step) throws Exception {
        long next = step + 4 + random.nextInt(8);
        ranks.awaitStep(world, next);
        return next;
    }
}
