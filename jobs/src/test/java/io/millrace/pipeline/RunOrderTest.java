package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.order.BatchPlan;
import io.millrace.order.EpochOrder;
import io.millrace.order.Order;
import io.millrace.order.SourceShares;
import io.millrace.order.Sources;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunOrderTest {
    private static final String MIXED = """
            train: { model: none }
            datasets:
              web: { format: synthetic, size: 900, shape: [1, 1, 1] }
              code: { format: synthetic, size: 40, shape: [1, 1, 1], max_repeats: 2 }
            mix: [{ steps: 30, weights: { web: 3, code: 1 } }]
            batch: { size: 8 }
            """;
    private static final String SINGLE = """
            train: { model: none }
            dataset: { format: synthetic, size: 43, shape: [1, 1, 1], epochs: 3 }
            batch: { size: 4, drop_last: true }
            """;
    private static final Sources SOURCES =
            new Sources(List.of(new Sources.Source("web", 900, 0, 900), new Sources.Source("code", 40, 900, 40)));

    @TempDir
    Path folder;

    private RunOrder order(String text, Sources sources, String... settings) throws Exception {
        Path file = folder.resolve("mix.yaml");
        Files.writeString(file, text);
        PipelineConfig config = ConfigReader.read(file, List.of(settings));
        return RunOrder.of(
                config, sources, Optional.empty(), Optional.empty(), OptionalLong.empty(), 0, new ArrayList<>());
    }

    private static List<Order.Pick> picks(RunOrder order, int steps) {
        BatchPlan plan = order.batches();
        List<Order.Pick> picks = new ArrayList<>();
        for (long position = 0; position < (long) steps * plan.batch(); position++) {
            BatchPlan.Place place = plan.place(position);
            picks.add(order.order().at(place.epoch(), place.i()));
        }
        return picks;
    }

    @Test
    void anEpochOfAMixtureIsTheWholePlanOrAsLongAsTheFileSays() throws Exception {
        RunOrder whole = order(MIXED, SOURCES);
        RunOrder parts = order(MIXED, SOURCES, "mix_epoch=10");

        assertThat(whole.batches().epochs()).isEqualTo(1);
        assertThat(whole.batches().size()).isEqualTo(240);
        assertThat(parts.batches().epochs()).isEqualTo(3);
        assertThat(parts.batches().stepsPerEpoch()).isEqualTo(10);
        assertThat(picks(parts, 30)).isEqualTo(picks(whole, 30));
    }

    @Test
    void theSharesAreThoseOfTheWeightsAndASampleComesOnceInEachRound() throws Exception {
        List<Order.Pick> picks = picks(order(MIXED, SOURCES), 30);

        assertThat(picks).filteredOn(pick -> pick.source() == 1).hasSize(60);
        assertThat(picks).doesNotHaveDuplicates();
        assertThat(picks.stream().filter(pick -> pick.source() == 1 && pick.round() == 0))
                .hasSize(40);
    }

    @Test
    void anotherDivisionIntoRanksHasTheSameSamples() throws Exception {
        assertThat(picks(order(MIXED, SOURCES, "batch.size=2", "ranks=4", "share=split"), 30))
                .isEqualTo(picks(order(MIXED, SOURCES), 30));
    }

    @Test
    void aDatasetThatIsAddedChangesNothingOfTheOthers() throws Exception {
        Sources more = new Sources(List.of(SOURCES.get(0), SOURCES.get(1), new Sources.Source("math", 7, 940, 7)));
        String added = MIXED.replace("mix:", "  math: { format: synthetic, size: 7, shape: [1, 1, 1] }\nmix:");

        assertThat(picks(order(added, more), 30)).isEqualTo(picks(order(MIXED, SOURCES), 30));
    }

    @Test
    void aMixtureThatNeedsMoreRepeatsIsRefusedWithTheStep() {
        assertThatThrownBy(() -> order(MIXED, SOURCES, "datasets.code.max_repeats=0"))
                .isInstanceOf(PipelineException.class)
                .hasMessageEndingWith(
                        "datasets.code.max_repeats: the dataset has 40 samples and is repeated at most 0 times, so"
                                + " that it runs out in step 20; the run has 30 steps. Allow more repeats, or give it a smaller weight");
        assertThatThrownBy(() -> order(MIXED.replace("steps: 30, ", ""), SOURCES, "mix_epoch=5"))
                .hasMessageContaining("so that it runs out in step 60; the run has endless steps");
    }

    @Test
    void badWeightsAreRefusedWithThePhase() {
        assertThatThrownBy(() -> order(MIXED.replace("web: 3", "web: -3"), SOURCES))
                .isInstanceOf(PipelineException.class)
                .hasMessageContaining("mix.yaml:5: mix: phase 1: the weight of web is '-3'; expected 0 or more");
        assertThatThrownBy(() -> order(MIXED.replace("web: 3, code: 1", "web: 0, code: 0.0"), SOURCES))
                .hasMessageContaining("phase 1: all weights are 0");
    }

    @Test
    void stepsThatAreLeftOutMoveTheOthersForward() throws Exception {
        List<Order.Pick> all = picks(order(SINGLE, Sources.single(43), "dataset.epochs=4"), 40);
        List<Order.Pick> left = new ArrayList<>(all);
        left.subList(12 * 4, 18 * 4).clear();

        RunOrder skipping = order(SINGLE, Sources.single(43), "order.skip_steps=['12-17']");
        assertThat(skipping.batches().positions()).isEqualTo(120);
        assertThat(picks(skipping, 30)).isEqualTo(left.subList(0, 120));
    }

    @Test
    void stepsOfAMixtureAreLeftOutInTheSameWay() throws Exception {
        List<Order.Pick> all = picks(order(MIXED, SOURCES, "mix.0.steps=40"), 40);
        List<Order.Pick> left = new ArrayList<>(all);
        left.subList(5 * 8, 7 * 8).clear();

        assertThat(picks(order(MIXED, SOURCES, "order.skip_steps=['5-6']"), 30)).isEqualTo(left.subList(0, 240));
    }

    @Test
    void theSharesAreThoseOfTheSamples() throws Exception {
        RunOrder order = order(MIXED, SOURCES, "order.skip_steps=['5-6', 11]");
        SourceShares shares = new SourceShares(order.order(), SOURCES, 8);
        List<Order.Pick> picks = picks(order, 30);

        for (int step = 1; step <= 30; step++) {
            long code = picks.subList(0, step * 8).stream()
                    .filter(pick -> pick.source() == 1)
                    .count();
            assertThat(shares.before(step).get(1))
                    .isEqualTo(new SourceShares.Share("code", code, code / (step * 8.0), code / 40.0));
        }
        assertThat(SourceShares.line(shares.between(10, 30))).isEqualTo("web 75.0 %, code 25.0 %");
        assertThat(shares.before(0)).isEmpty();
    }

    @Test
    void stepsCannotBeLeftOutOfARunWithoutThemOrWithUnevenBatches() {
        assertThatThrownBy(() -> order(SINGLE, Sources.single(43), "order.skip_steps=[30]"))
                .hasMessage(
                        "--set order.skip_steps=[30]: order.skip_steps: expected steps of the run, which has 30, found 30");
        assertThatThrownBy(() -> order(SINGLE, Sources.single(43), "order.skip_steps=[3]", "batch.drop_last=false"))
                .hasMessageContaining("are no multiple of the 4 of a batch: set batch.drop_last to true");
    }

    @Test
    void aRunOfOneDatasetKeepsItsOrder() throws Exception {
        assertThat(order(SINGLE, Sources.single(43)).order()).isInstanceOf(EpochOrder.class);
    }

    @Test
    void anEndlessMixtureRepeatsADatasetWithoutALimitAsOftenAsItLasts() throws Exception {
        RunOrder endless = order(
                MIXED,
                SOURCES,
                "datasets.code={format: synthetic, size: 40, shape: [1, 1, 1]}",
                "mix=[{weights: {web: 3, code: 1}}]",
                "mix_epoch=10");

        assertThat(endless.batches().epochs()).isEqualTo(BatchPlan.ENDLESS);
        assertThatThrownBy(() -> order(MIXED, SOURCES, "mix=[{weights: {web: 3, code: 1}}]", "mix_epoch=10"))
                .hasMessageContaining("is repeated at most 2 times, so that it runs out in step 60");
    }
}
