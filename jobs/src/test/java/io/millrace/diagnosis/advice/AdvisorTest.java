package io.millrace.diagnosis.advice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.config.WireType;
import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.CoreSlowdown;
import io.millrace.diagnosis.CoreUse;
import io.millrace.diagnosis.Limit;
import io.millrace.diagnosis.Observed;
import io.millrace.diagnosis.Prediction;
import io.millrace.diagnosis.Predictor;
import io.millrace.diagnosis.Setting;
import io.millrace.diagnosis.StageCost;
import io.millrace.diagnosis.Task;
import io.millrace.sample.SampleUnit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the rules on cases that can be calculated on paper. Costs are in seconds per sample. */
class AdvisorTest {
    private static final Task TRAINER = trainer(0.0001, 0.0009, 0, 0);

    @TempDir
    Path folder;

    private Path file = Path.of("");

    @BeforeEach
    void writeFile() throws Exception {
        file = Files.writeString(folder.resolve("a.yaml"), """
                dataset: { format: folder, path: photos }
                transforms: [ decode ]
                parallelism: 2
                train: { model: { mlp: { hidden: [16] } } }
                """);
    }

    private PipelineConfig config(String... settings) throws Exception {
        return ConfigReader.read(file, List.of(settings));
    }

    private static Task trainer(double transfer, double step, double evaluate, double checkpoint) {
        return new Task(
                "train",
                1,
                List.of(
                        new StageCost("transfer", 1, transfer, transfer),
                        new StageCost("train", 1, step, step),
                        new StageCost("evaluate", 1, evaluate, evaluate),
                        new StageCost("checkpoint", 1, checkpoint, checkpoint)));
    }

    private static StageCost cost(String stage, double own, double cpu) {
        return new StageCost(stage, 1, own, cpu);
    }

    private static Situation situation(
            PipelineConfig config, @Nullable Double cores, DatasetFacts facts, Task trainer, Task... tasks) {
        List<Task> all = new ArrayList<>(List.of(tasks));
        all.add(new Task("assemble", 1, List.of(cost("assemble", 1e-5, 1e-5))));
        CapacityModel model = new CapacityModel(all, trainer, cores, List.of());
        return new Situation(
                config,
                new Setting(4, 2, 1),
                model,
                new Predictor(model, Observed.NOTHING, null),
                model.ceiling().orElse(Double.POSITIVE_INFINITY),
                facts,
                null,
                Map.of());
    }

    private static double likely(@Nullable Prediction prediction) {
        return Objects.requireNonNull(prediction).likely();
    }

    private static Predicted best(Situation situation) {
        return Advisor.advise(situation).get(0);
    }

    @Test
    void waitingStageGetsAsManySlotsAsTheTrainerCanUse() throws Exception {
        Task chain = new Task("decode", 2, List.of(cost("decode", 0.01, 0.0001), cost("pack", 0.0, 0.0)));

        Predicted best = best(situation(config(), 8.0, DatasetFacts.UNKNOWN, TRAINER, chain));

        // The trainer's thread allows 1,000 samples/s, and a slot needs 10 ms for each.
        assertThat(best.advice().settings()).containsExactly("parallelism=10");
        assertThat(likely(best.prediction())).isCloseTo(1_000, within(1.0));
    }

    @Test
    void stageWithItsOwnSlotsGetsMoreOfThem() throws Exception {
        Task decode = new Task("decode", 2, List.of(cost("decode", 0.01, 0.0001)));

        Predicted best = best(situation(config("stages={decode: 2}"), 8.0, DatasetFacts.UNKNOWN, TRAINER, decode));

        assertThat(best.advice().change()).isEqualTo("--set stages.decode=10");
    }

    @Test
    void moreSlotsAreNotProposedWhenCoresAreUsedUp() throws Exception {
        Task chain = new Task("decode", 2, List.of(cost("decode", 0.01, 0.01)));
        Situation situation = situation(config(), 2.0, DatasetFacts.UNKNOWN, TRAINER, chain);

        List<Predicted> advice = Advisor.advise(situation);

        assertThat(advice).noneMatch(predicted -> predicted.advice().settings().contains("parallelism=4"));
        assertThat(advice.get(0).advice().change()).contains("data servers of 2 cores", "parallelism=");
        assertThat(likely(advice.get(0).prediction())).isGreaterThan(900);
        assertThat(advice)
                .anyMatch(predicted -> predicted.advice().settings().equals(List.of("train.threads=1"))
                        && predicted.prediction() == null);
    }

    /** Eight busy loops leave two slots a third of a core each; four slots get a third each, too. */
    @Test
    void eachCoreGetsASlotBesideOtherPrograms() throws Exception {
        Task chain = new Task("decode", 2, List.of(cost("decode", 0.01, 0.01)));
        Task assemble = new Task("assemble", 1, List.of(cost("assemble", 1e-6, 1e-6)));
        double share = 4 / 10.0;
        CapacityModel model = new CapacityModel(List.of(chain, assemble), TRAINER, 2 * share, 4.0, List.of());
        CoreUse use = new CoreUse(4, 2 * share, 8 * share, share, new CoreSlowdown(0, 0));
        Situation situation = new Situation(
                config("parallelism=2"),
                new Setting(4, 2, 1),
                model,
                new Predictor(model, new Observed(200 * share, 0.5), use),
                1_000,
                DatasetFacts.UNKNOWN,
                null,
                Map.of());

        Predicted best = best(situation);

        assertThat(model.limit().orElseThrow().kind()).isEqualTo(Limit.Kind.OTHERS);
        assertThat(best.advice().settings()).containsExactly("parallelism=4");
        assertThat(best.advice().reason())
                .isEqualTo("other programs use the cores too, and decode has the share of 2 slots");
        assertThat(likely(best.prediction())).isBetween(400 * share * 0.75, 400 * share);
    }

    @Test
    void waitingReadsGetMoreThreads() throws Exception {
        Task read = new Task("read", 8, List.of(cost("read", 0.02, 0.0001)));
        DatasetFacts facts = new DatasetFacts(5_000, Map.of(), List.of());

        List<Predicted> advice = Advisor.advise(situation(config(), 8.0, facts, TRAINER, read));

        assertThat(likely(advice.get(0).prediction())).isCloseTo(1_000, within(1.0));
        assertThat(advice)
                .extracting(a -> a.advice().settings())
                .contains(List.of("read.threads=10", "read.read_ahead=10"));
        assertThat(advice).extracting(a -> a.advice().change()).anyMatch(change -> change.contains("millrace pack"));
    }

    /**
     * Returns the advice for a Python dataset whose items take 80 ms.
     *
     * @param cpuSeconds the time for which an item computes
     * @param settings more settings of the pipeline
     */
    private List<Predicted> advisedForPython(int workers, double cores, double cpuSeconds, String... settings)
            throws Exception {
        List<String> all = new ArrayList<>(List.of(settings));
        all.add("dataset={format: python, dataset: 'data:Slow', workers: " + workers + "}");
        Task read = new Task("read", 8, List.of(cost("read", 0.08, cpuSeconds)));
        DatasetFacts facts = new DatasetFacts(5_000, Map.of(), List.of());
        return Advisor.advise(situation(config(all.toArray(String[]::new)), cores, facts, TRAINER, read));
    }

    @Test
    void waitingItemsOfAPythonDatasetGetMoreWorkersAndNoMoreThreads() throws Exception {
        List<Predicted> advice = advisedForPython(4, 8, 0.0001);

        assertThat(advice)
                .extracting(a -> a.advice().settings())
                .contains(List.of("dataset.workers=32", "read.threads=32", "read.read_ahead=32"))
                .doesNotContain(List.of("read.threads=32", "read.read_ahead=32"));
        assertThat(likely(advice.get(0).prediction())).isCloseTo(64 / 0.08, within(1.0));
    }

    @Test
    void workersOfAPythonDatasetThatHaveThreadsNeedNoMore() throws Exception {
        assertThat(advisedForPython(4, 8, 0.0001, "read={threads: 64, read_ahead: 64}"))
                .extracting(a -> a.advice().settings())
                .contains(List.of("dataset.workers=32"));
    }

    @Test
    void threadsOfAPythonDatasetThatHasWorkersAreAdvisedAlone() throws Exception {
        assertThat(advisedForPython(64, 8, 0.0001))
                .extracting(a -> a.advice().settings())
                .contains(List.of("read.threads=32", "read.read_ahead=32"))
                .noneMatch(settings -> settings.toString().contains("dataset.workers"));
    }

    @Test
    void computingItemsOfAPythonDatasetGetWorkersForTheCores() throws Exception {
        assertThat(advisedForPython(4, 16, 0.08))
                .extracting(a -> a.advice().settings())
                .contains(List.of("dataset.workers=8", "read.threads=8", "read.read_ahead=8"));
    }

    @Test
    void cropMovesBeforeWorkOnEachPixel() throws Exception {
        PipelineConfig config =
                config("transforms=[decode, GaussianBlur: {kernel_size: 5}, RandomCrop: {size: [50, 50]}]");
        DatasetFacts facts = new DatasetFacts(
                5_000, Map.of("decode", 10_000.0, "GaussianBlur", 10_000.0, "RandomCrop", 2_500.0), List.of());
        Task chain = new Task(
                "decode",
                2,
                List.of(
                        cost("decode", 0.001, 0.001),
                        cost("GaussianBlur", 0.008, 0.008),
                        cost("RandomCrop", 0.001, 0.001)));

        Predicted crop = Advisor.advise(situation(config, 2.0, facts, TRAINER, chain)).stream()
                .filter(predicted -> predicted.advice().reason().startsWith("GaussianBlur"))
                .findFirst()
                .orElseThrow();

        String setting = crop.advice().settings().get(0);
        assertThat(setting.indexOf("RandomCrop")).isBetween(0, setting.indexOf("GaussianBlur"));
        assertThat(config(setting).transformStages()).containsExactly("decode", "RandomCrop", "GaussianBlur");
        // The chain needs 4 of its 10 ms, and the trainer's 1 ms uses a part of the 2 cores.
        assertThat(likely(crop.prediction())).isCloseTo(2 / 0.00501, within(5.0));
        assertThat(crop.advice().reason()).contains("25 %", "crop's edge");
    }

    @Test
    void cropAfterAResizeStaysThere() throws Exception {
        PipelineConfig config = config("transforms=[decode, Resize: {size: 80}, CenterCrop: {size: [50, 50]}]");
        DatasetFacts facts = new DatasetFacts(
                5_000, Map.of("decode", 10_000.0, "Resize", 6_400.0, "CenterCrop", 2_500.0), List.of());
        Task chain = new Task("decode", 2, List.of(cost("decode", 0.001, 0.001), cost("Resize", 0.008, 0.008)));

        assertThat(Advisor.advise(situation(config, 2.0, facts, TRAINER, chain)))
                .noneMatch(predicted -> predicted.advice().change().contains("CenterCrop"));
    }

    @Test
    void conversionToFloatMovesToTheDevice() throws Exception {
        PipelineConfig config = config("transforms=[decode, Cast: {dtype: float32}]");
        Task chain = new Task(
                "decode",
                2,
                List.of(cost("decode", 0.001, 0.001), cost("Cast", 0.006, 0.006), cost("pack", 0.004, 0.004)));

        Predicted best = Advisor.advise(situation(config, 8.0, DatasetFacts.UNKNOWN, TRAINER, chain)).stream()
                .filter(predicted -> predicted.advice().reason().contains("floats"))
                .findFirst()
                .orElseThrow();

        assertThat(best.advice().settings()).containsExactly("transforms=[decode]");
        assertThat(likely(best.prediction())).isCloseTo(1_000, within(1.0));
    }

    @Test
    void reducedDecodingIsProposedForLargeImages() throws Exception {
        PipelineConfig config = config("transforms=[decode, RandomResizedCrop: {size: [50, 50]}]");
        DatasetFacts facts =
                new DatasetFacts(50_000, Map.of("decode", 160_000.0, "RandomResizedCrop", 2_500.0), List.of());
        Task chain = new Task("decode", 2, List.of(cost("decode", 0.02, 0.02)));

        Predicted reduced = Advisor.advise(situation(config, 8.0, facts, TRAINER, chain)).stream()
                .filter(predicted -> predicted.advice().reason().startsWith("decoding"))
                .findFirst()
                .orElseThrow();

        assertThat(likely(reduced.prediction())).isBetween(100.0, 200.0);
        assertThat(config(reduced.advice().settings().get(0))
                        .data()
                        .transforms()
                        .get(0)
                        .options()
                        .raw())
                .containsEntry("reduced", true);
        assertThat(reduced.advice().changesValues()).isTrue();
        assertThat(AdviceText.lines(List.of(reduced), SampleUnit.IMAGES).get(0))
                .endsWith(" [changes values: --apply needs --allow-other-pixels]");
    }

    @Test
    void planChangesNoPixelsUnlessItIsAllowed() throws Exception {
        List<String> given = List.of("transforms=[decode, RandomResizedCrop: {size: [50, 50]}]");
        PipelineConfig config = ConfigReader.read(file, given);
        DatasetFacts facts =
                new DatasetFacts(50_000, Map.of("decode", 160_000.0, "RandomResizedCrop", 2_500.0), List.of());
        Task chain = new Task("decode", 2, List.of(cost("decode", 0.02, 0.02)));
        Situation situation = situation(config, 2.0, facts, TRAINER, chain);
        Advisor.Setter setter = settings -> {
            List<String> all = new ArrayList<>(given);
            all.addAll(settings);
            return ConfigReader.read(file, all);
        };

        assertThat(Advisor.plan(situation, setter, Advisor.Values.KEPT).changes())
                .noneMatch(Advice::changesValues);
        assertThat(Advisor.plan(situation, setter, Advisor.Values.MAY_CHANGE).settings())
                .anyMatch(setting -> setting.contains("reduced"));
    }

    @Test
    void unusedFieldsAreLeftOut() throws Exception {
        PipelineConfig config = config("batch.fields=[image, mask]");
        Task chain = new Task("pack", 2, List.of(cost("pack", 0.01, 0.01)));

        Predicted fields = Advisor.advise(situation(config, 8.0, DatasetFacts.UNKNOWN, TRAINER, chain)).stream()
                .filter(predicted -> predicted.advice().reason().contains("mask"))
                .findFirst()
                .orElseThrow();

        assertThat(fields.advice().change()).isEqualTo("--set 'batch.fields={image: auto}'");
        assertThat(likely(fields.prediction())).isCloseTo(400, within(1.0));
    }

    @Test
    void evaluationWithHalfOfTheTimeBecomesLessFrequent() throws Exception {
        Predicted best = best(evaluating(50));

        assertThat(best.advice().settings()).containsExactly("evaluate.every=19");
        assertThat(likely(best.prediction())).isCloseTo(950, within(1.0));
    }

    private Situation evaluating(int epochs) throws Exception {
        PipelineConfig config = config(
                "dataset.epochs=" + epochs, "evaluate={dataset: {format: folder, path: test}, transforms: [decode]}");
        return situation(config, 8.0, DatasetFacts.UNKNOWN, trainer(0, 0.001, 0.001, 0));
    }

    @Test
    void oneEvaluationIsLeft() throws Exception {
        assertThat(best(evaluating(7)).advice().settings()).containsExactly("evaluate.every=7");
        assertThat(Advisor.advise(evaluating(1)))
                .noneMatch(predicted -> predicted.advice().change().contains("evaluate"));
    }

    /** A rule that proposes what the file rejects must not end a diagnosis that took minutes. */
    @Test
    void changeThatThePipelineRejectsIsLeftOut() throws Exception {
        Advisor.Setter rejects = settings -> ConfigReader.read(
                file,
                settings.stream()
                        .map(setting -> setting.startsWith("evaluate.every") ? "evaluate.every=0" : setting)
                        .toList());

        assertThat(Advisor.advise(evaluating(50), rejects))
                .noneMatch(predicted -> predicted.advice().change().contains("evaluate"));
        assertThat(Advisor.plan(evaluating(50), rejects, Advisor.Values.KEPT).settings())
                .noneMatch(setting -> setting.contains("evaluate"));
    }

    @Test
    void checkpointsWithHalfOfTheTimeBecomeLessFrequent() throws Exception {
        PipelineConfig config = config("checkpoint.interval=1s");

        Predicted best = best(situation(config, 8.0, DatasetFacts.UNKNOWN, trainer(0, 0.001, 0, 0.001)));

        assertThat(best.advice().settings()).containsExactly("checkpoint.interval=19s");
        assertThat(likely(best.prediction())).isCloseTo(950, within(1.0));
    }

    @Test
    void largerBatchIsProposedForShortSteps() throws Exception {
        Predicted best =
                best(situation(config("batch.size=8"), 8.0, DatasetFacts.UNKNOWN, trainer(0.00001, 0.0001, 0, 0)));

        assertThat(best.advice().settings()).containsExactly("batch.size=32");
        assertThat(best.prediction()).isNull();
    }

    @Test
    void planContinuesAfterTheFirstChange() throws Exception {
        List<String> given = List.of("transforms=[decode, Cast: {dtype: float32}]", "checkpoint.interval=1s");
        PipelineConfig config = ConfigReader.read(file, given);
        Task chain = new Task(
                "decode",
                1,
                List.of(cost("decode", 0.004, 0.0001), cost("Cast", 0.004, 0.0001), cost("pack", 0.0, 0.0)));
        Situation situation = situation(config, 8.0, DatasetFacts.UNKNOWN, trainer(0, 0.0002, 0, 0.0002), chain);

        Plan plan = Advisor.plan(
                situation,
                settings -> {
                    List<String> all = new ArrayList<>(given);
                    all.addAll(settings);
                    return ConfigReader.read(file, all);
                },
                Advisor.Values.KEPT);

        assertThat(plan.changes()).hasSizeGreaterThan(1).noneMatch(Advice::changesValues);
        assertThat(plan.settings())
                .anyMatch(setting -> setting.startsWith("parallelism="))
                .anyMatch(setting -> setting.startsWith("checkpoint.interval="));
        assertThat(likely(plan.prediction())).isGreaterThan(4_000);
    }

    /** Returns a situation that is limited by a network with 100 samples/s. */
    private static Situation overSlowNetwork(PipelineConfig config, DatasetFacts.Wire... wires) {
        Task chain = new Task("decode", 2, List.of(cost("decode", 0.001, 0.001), cost("pack", 0.0001, 0.0001)));
        Situation wide = situation(config, 8.0, new DatasetFacts(10_000, Map.of(), List.of(wires)), TRAINER, chain);
        return wide.changed(config, wide.model().with(new Limit(Limit.Kind.NETWORK, "network", 100)));
    }

    @Test
    void bitsAreProposedForZerosAndOnesOnASlowNetwork() throws Exception {
        PipelineConfig config = config("train.input=[image, mask]");
        Situation slow = overSlowNetwork(
                config,
                new DatasetFacts.Wire("image", DatasetFacts.Kind.OTHER, 4_000),
                new DatasetFacts.Wire("mask", DatasetFacts.Kind.ZERO_OR_ONE, 8_000),
                new DatasetFacts.Wire("unused", DatasetFacts.Kind.ZERO_OR_ONE, 8_000));

        Predicted best = best(slow);

        assertThat(best.advice().settings()).containsExactly("batch.wire={mask: bits}");
        // 12,000 bytes become 4,000 + 1,000.
        assertThat(likely(best.prediction())).isCloseTo(240, within(1.0));
    }

    @Test
    void halfFloatsAreProposedOnASlowNetwork() throws Exception {
        Situation slow = overSlowNetwork(config(), new DatasetFacts.Wire("image", DatasetFacts.Kind.FLOAT32, 8_000));

        Predicted best = best(slow);

        assertThat(best.advice().settings()).containsExactly("batch.wire={image: float16}");
        assertThat(likely(best.prediction())).isCloseTo(200, within(1.0));
        assertThat(config(best.advice().settings().toArray(String[]::new))
                        .batch()
                        .wireType("image"))
                .isEqualTo(WireType.of(WireType.Kind.FLOAT16));
    }

    @Test
    void sparseFormIsProposedForTensorsOfZerosOnASlowNetwork() throws Exception {
        PipelineConfig config = config("train.input=[image, rare]");
        Situation slow = overSlowNetwork(
                config,
                new DatasetFacts.Wire("image", DatasetFacts.Kind.OTHER, 2_000),
                new DatasetFacts.Wire("rare", DatasetFacts.Kind.MOSTLY_ZERO, 8_000, 0.05));

        Predicted best = best(slow);

        assertThat(best.advice().settings()).containsExactly("batch.forms={rare: sparse}");
        // 10,000 bytes become 2,000 + 400.
        assertThat(likely(best.prediction())).isCloseTo(416.7, within(1.0));
    }

    @Test
    void typesOfThePipelineFileStayInTheSetting() throws Exception {
        PipelineConfig config = config("train.input=[image, mask, ids]", "batch.wire={image: bfloat16, ids: {ids: 9}}");
        Situation slow = overSlowNetwork(
                config,
                new DatasetFacts.Wire("image", DatasetFacts.Kind.FLOAT32, 8_000),
                new DatasetFacts.Wire("mask", DatasetFacts.Kind.ZERO_OR_ONE, 8_000),
                new DatasetFacts.Wire("ids", DatasetFacts.Kind.OTHER, 8));

        assertThat(Advisor.advise(slow).stream()
                        .flatMap(predicted -> predicted.advice().settings().stream())
                        .filter(setting -> setting.startsWith("batch.")))
                .containsExactly("batch.wire={image: bfloat16, ids: {ids: 9}, mask: bits}");
    }

    @Test
    void typesStayWhenNoTransportLimits() throws Exception {
        Task chain = new Task("decode", 2, List.of(cost("decode", 0.01, 0.0001), cost("pack", 0.0, 0.0)));
        DatasetFacts facts = new DatasetFacts(
                10_000, Map.of(), List.of(new DatasetFacts.Wire("image", DatasetFacts.Kind.FLOAT32, 8_000)));

        assertThat(Advisor.advise(situation(config(), 8.0, facts, TRAINER, chain)))
                .noneMatch(predicted -> predicted.advice().reason().contains("float16"));
    }
}
