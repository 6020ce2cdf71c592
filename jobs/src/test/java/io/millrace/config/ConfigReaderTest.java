package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.batch.Form;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.PartGroup;
import io.millrace.dataset.PartSpec;
import io.millrace.dataset.StorageOptions;
import io.millrace.option.ByteSize;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.order.BatchPlan;
import io.millrace.order.Shuffle;
import io.millrace.order.Tail;
import io.millrace.sink.files.Events;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.MemoryFormat;
import io.millrace.train.spec.Precision;
import io.millrace.train.spec.Recipe;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.Updates;
import io.millrace.transform.TransformSpec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

class ConfigReaderTest {
    private static final String FULL = """
        name: everything
        dataset: {format: idx, path: data/digits, split: test, epochs: 6, generate: {digits: {count: 70}},
            part: train, parts: {train: 0.75, test: 25%}, parts_seed: 3, parts_group: {field: writer}, parts_stratified: true}
        order: {seed: 7, shuffle: none}
        stages: {decode: 3, RandomResizedCrop: 2}
        parallelism: 5
        transforms:
          - decode
          - RandomResizedCrop: {size: [24, 32], scale: [0.5, 1]}
        batch: {size: 32, drop_last: true, max_quarantined: 2.5%, fields: [image, mask], wire: {image: uint8}}
        read: {range: 16, window: 9, read_ahead: 3, threads: 2}
        device:
          kind: host
          transforms: [ToFloat: {scale: 128}]
          memory_format: contiguous
          precision: bfloat16
          deterministic: true
          batches_in_flight: 6
          index: 1
          pinned: require
          pinned_limit: 1MB
          simulated_step: 5ms
        train:
          model: {mlp: {hidden: [10]}}
          input: [image, text]
          target: mask
          loss: cross_entropy
          optimizer: {sgd: {learning_rate: 1e-2}}
          schedule: {step: {every: 2}}
          accumulate: 3
          clip_norm: 0.5
          threads: 1
          seed: 8
          ranks: [{seed: 9}, {}]
        evaluate: {dataset: {format: folder, path: test, generate: photos, follow_links: true}, transforms: [decode, Resize: {size: 32}], every: 3}
        ranks: 2
        share: all
        placement: {data: cpu, cores: 0.5, heap: 100MB}
        checkpoint: {interval: 5s, path: "s3://bucket/run", mode: unaligned, timeout: 1min, keep: 3}
        restart: {attempts: 7, delay: 200ms}
        ledger: true
        tensorboard: true
        run: {folder: out, web: off, web_port: 0}
        python: {executable: python3.12, path: [modules, more.zip]}
        storage: {requests: 4, chunk: 1MiB, retries: 3, timeout: 5s, cache: {folder: /data/cache, size: 1500MB}}
        flink: {s3.endpoint: "http://127.0.0.1:9000", s3: {path.style.access: true}}
        """;

    private static final StorageOptions STORAGE = new StorageOptions(
            4, 1 << 20, 3, Duration.ofSeconds(5), new StorageOptions.CacheOptions("/data/cache", 1_500_000_000));

    private static final RankConfig NO_OWN_SETTINGS = new RankConfig(
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    @TempDir
    Path folder;

    @Test
    void fileWithRequiredKeysOnlyHasTheDefaults() throws Exception {
        PipelineConfig config = PipelineText.of(folder, PipelineText.SMALLEST).read();

        assertThat(config.run())
                .isEqualTo(new RunConfig(
                        "some", Path.of("runs", "some"), RunConfig.Web.ON, Optional.empty(), Events.NONE, Map.of()));
        assertThat(config.data())
                .isEqualTo(new DataConfig(
                        List.of(SourceConfig.only(new DatasetConfig(
                                new DatasetSpec("folder", values("path", "photos")), Optional.empty()))),
                        Optional.empty(),
                        1,
                        Optional.empty(),
                        new OrderConfig(42, Shuffle.FULL),
                        List.of(),
                        new ReadConfig(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty()),
                        new PythonConfig(Optional.empty(), List.of())));
        assertThat(config.evaluate()).isEmpty();
        assertThat(config.batch()).isEqualTo(new BatchConfig(64, false, 0.001, List.of(), Map.of(), Map.of()));
        assertThat(config.train())
                .isEqualTo(new TrainConfig(
                        new Recipe(
                                component("none"),
                                component("cross_entropy"),
                                component("adam"),
                                component("constant"),
                                42),
                        Roles.DEFAULT,
                        0,
                        new TrainersConfig(
                                1,
                                TrainersConfig.Share.SPLIT,
                                TrainersConfig.Replicas.INDEPENDENT,
                                Tail.FIRST_RANKS,
                                List.of())));
        assertThat(config.device())
                .isEqualTo(new DeviceConfig(
                        DeviceConfig.Kind.AUTO,
                        new ComputeConfig(MemoryFormat.AUTO, Precision.FLOAT32, false, false),
                        4,
                        new GpuConfig(Optional.empty(), GpuConfig.Pinned.PREFER, new ByteSize(1L << 30)),
                        SimulatedConfig.NONE,
                        List.of(),
                        PlacedTransforms.NONE));
        assertThat(config.slots())
                .isEqualTo(new SlotsConfig(
                        Runtime.getRuntime().availableProcessors(),
                        SlotsConfig.Meaning.CORES,
                        StagesConfig.ONE_CHAIN,
                        AutoConfig.NOTHING,
                        Optional.empty()));
        assertThat(config.recovery())
                .isEqualTo(new RecoveryConfig(
                        Optional.of(new CheckpointConfig(
                                Duration.ofSeconds(30),
                                Optional.empty(),
                                CheckpointConfig.Mode.ALIGNED,
                                Duration.ofMinutes(10),
                                1)),
                        Optional.empty(),
                        false));
    }

    @Test
    void valuesOfAFullFileReachTheirRecords() throws Exception {
        PipelineConfig config = PipelineText.of(folder, FULL).read();

        assertThat(config.run())
                .isEqualTo(new RunConfig(
                        "everything",
                        Path.of("out"),
                        RunConfig.Web.OFF,
                        Optional.of(0),
                        Events.WRITTEN,
                        Map.of("s3.endpoint", "http://127.0.0.1:9000", "s3.path.style.access", "true")));
        assertThat(config.data())
                .isEqualTo(new DataConfig(
                        List.of(SourceConfig.only(new DatasetConfig(
                                new DatasetSpec(
                                        "idx",
                                        values("path", "data/digits", "split", "test"),
                                        STORAGE,
                                        new PartSpec(
                                                "train",
                                                List.of(
                                                        new PartSpec.Share("train", 0.75),
                                                        new PartSpec.Share("test", 0.25)),
                                                3,
                                                new PartGroup("writer"),
                                                true)),
                                Optional.of(component("digits", "count", 70L))))),
                        Optional.empty(),
                        6,
                        Optional.empty(),
                        new OrderConfig(7, Shuffle.NONE),
                        List.of(
                                new TransformSpec("decode", OptionValues.none()),
                                new TransformSpec(
                                        "RandomResizedCrop",
                                        values("size", List.of(24L, 32L), "scale", List.of(0.5, 1L)))),
                        new ReadConfig(Optional.of(16), Optional.of(9), Optional.of(3), Optional.of(2)),
                        new PythonConfig(Optional.of("python3.12"), List.of("modules", "more.zip"))));
        assertThat(config.evaluate())
                .contains(new EvaluateConfig(
                        new DatasetConfig(
                                new DatasetSpec("folder", values("path", "test"), STORAGE.withFollowLinks(true)),
                                Optional.of(component("photos"))),
                        Optional.empty(),
                        List.of(
                                new TransformSpec("decode", OptionValues.none()),
                                new TransformSpec("Resize", values("size", 32L))),
                        3));
        assertThat(config.batch())
                .isEqualTo(new BatchConfig(
                        32,
                        true,
                        0.025,
                        List.of(WireField.auto("image"), WireField.auto("mask")),
                        Map.of(),
                        Map.of("image", WireType.of(WireType.Kind.UINT8))));
        RankConfig ninth = new RankConfig(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(9L));
        assertThat(config.train())
                .isEqualTo(new TrainConfig(
                        new Recipe(
                                component("mlp", "hidden", List.of(10L)),
                                component("cross_entropy"),
                                component("sgd", "learning_rate", 0.01),
                                component("step", "every", 2L),
                                new Updates(3, 0.5),
                                8),
                        new Roles(List.of("image", "text"), "mask"),
                        1,
                        new TrainersConfig(
                                2,
                                TrainersConfig.Share.ALL,
                                TrainersConfig.Replicas.INDEPENDENT,
                                Tail.FIRST_RANKS,
                                List.of(ninth, NO_OWN_SETTINGS))));
        assertThat(config.device())
                .isEqualTo(new DeviceConfig(
                        DeviceConfig.Kind.HOST,
                        new ComputeConfig(MemoryFormat.CONTIGUOUS, Precision.BFLOAT16, true, false),
                        6,
                        new GpuConfig(Optional.of(1), GpuConfig.Pinned.REQUIRE, new ByteSize(1_000_000)),
                        new SimulatedConfig(Optional.empty(), Optional.empty(), Duration.ofMillis(5), false),
                        List.of(component("ToFloat", "scale", 128L)),
                        PlacedTransforms.NONE));
        assertThat(config.slots())
                .isEqualTo(new SlotsConfig(
                        5,
                        SlotsConfig.Meaning.GIVEN,
                        new StagesConfig(StagesConfig.Mode.FUSED, Map.of("decode", 3, "RandomResizedCrop", 2)),
                        AutoConfig.NOTHING,
                        Optional.of(new PlacementConfig("gpu", "cpu", 0.5, new ByteSize(100_000_000)))));
        assertThat(config.recovery())
                .isEqualTo(new RecoveryConfig(
                        Optional.of(new CheckpointConfig(
                                Duration.ofSeconds(5),
                                Optional.of("s3://bucket/run"),
                                CheckpointConfig.Mode.UNALIGNED,
                                Duration.ofMinutes(1),
                                3)),
                        Optional.of(new RestartConfig(7, Duration.ofMillis(200))),
                        true));
    }

    @Test
    void emptySectionsHaveTheirDefaults() throws Exception {
        PipelineConfig config = PipelineText.of(folder, PipelineText.SMALLEST + "order:\nbatch: {}\ntransforms:\n")
                .read();

        assertThat(config.data().order()).isEqualTo(new OrderConfig(42, Shuffle.FULL));
        assertThat(config.batch()).isEqualTo(new BatchConfig(64, false, 0.001, List.of(), Map.of(), Map.of()));
        assertThat(config.data().transforms()).isEmpty();
    }

    @Test
    void endlessEpochsAreTheBatchPlansConstant() throws Exception {
        assertThat(PipelineText.of(folder, PipelineText.SMALLEST)
                        .read("dataset.epochs=endless")
                        .data()
                        .epochs())
                .isEqualTo(BatchPlan.ENDLESS);
    }

    @Test
    void epochIsANumberOfStepsOrOnePass() throws Exception {
        PipelineText text = PipelineText.of(folder, PipelineText.SMALLEST);
        assertThat(text.read().data().epochSteps()).isEmpty();
        assertThat(text.read("dataset.epoch_steps=7").data().epochSteps()).contains(7L);
        PipelineConfig passes = text.read("dataset.epoch_steps=pass");
        assertThat(passes.data().epochSteps()).contains(DataConfig.PASS);
        assertThat(passes.data().isEndless()).isFalse();
        for (String wrong : List.of("0", "-1", "1.5", "passes", "1000000000000001")) {
            assertThatThrownBy(() -> text.read("dataset.epoch_steps=" + wrong))
                    .hasMessageContaining("dataset.epoch_steps")
                    .hasMessageContaining("expected a number of steps from 1 to 1000000000000000, or 'pass'");
        }
    }

    @Test
    void servedRunWithoutEpochsIsEndlessAndOthersHaveOne(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("p.yaml"), "dataset: { format: synthetic, size: 4 }\n");
        List<String> untrained = List.of("train.model=none");
        assertThat(ConfigReader.readServed(file, List.of(), untrained).data().epochs())
                .isEqualTo(BatchPlan.ENDLESS);
        assertThat(ConfigReader.readServed(file, List.of("dataset.epochs=2"), untrained)
                        .data()
                        .epochs())
                .isEqualTo(2);
        assertThat(ConfigReader.read(file, untrained).data().epochs()).isEqualTo(1);
    }

    @Test
    void seedOfInitialParametersIsTheOrdersSeedByDefault() throws Exception {
        PipelineText text = PipelineText.of(folder, PipelineText.SMALLEST);

        assertThat(text.read("order.seed=5").train().recipe().seed()).isEqualTo(5);
        assertThat(text.read("order.seed=5", "train.seed=6").train().recipe().seed())
                .isEqualTo(6);
    }

    @Test
    void blocksAreReadWithAndWithoutSettings() throws Exception {
        PipelineText text = PipelineText.of(folder, PipelineText.SMALLEST);

        assertThat(text.read("order.shuffle=blocks").data().order().shuffle()).isEqualTo(new Shuffle.Blocks(1024, 16));
        assertThat(text.read("order.shuffle={blocks: {open: 3}}").data().order().shuffle())
                .isEqualTo(new Shuffle.Blocks(1024, 3));
        PipelineConfig config = text.read("order.shuffle.blocks={size: 100, open: 8}");
        assertThat(config.data().order().shuffle()).isEqualTo(new Shuffle.Blocks(100, 8));
        assertThat(PipelineText.of(folder, new Yaml().dump(config.toMap())).read())
                .isEqualTo(config);
    }

    @Test
    void secretsAreMaskedInTheOutput() throws Exception {
        PipelineConfig config = PipelineText.of(folder, PipelineText.SMALLEST)
                .read("flink={s3.secret-key: very secret, s3.region: here}");

        assertThat(config.run().flink()).containsEntry("s3.secret-key", "very secret");
        assertThat(config.toMap().toString())
                .contains("s3.region=here", "s3.secret-key=***")
                .doesNotContain("very secret");
    }

    @Test
    void accessKeysAndPasswordsAndSignaturesInUrlsAreMaskedInTheOutput() throws Exception {
        PipelineConfig config = PipelineText.of(folder, PipelineText.SMALLEST)
                .read(
                        "flink={s3.access-key: hidden1, fs.s3a.access.key: hidden2, s3.endpoint: 'http://hidden3:hidden4@host:9000'}",
                        "dataset.path=s3://hidden5:hid@den6@bucket/photos?X-Amz-Signature=hidden7&b=c");

        assertThat(config.run().flink()).containsEntry("s3.endpoint", "http://hidden3:hidden4@host:9000");
        assertThat(config.toMap().toString())
                .contains("s3.endpoint=http://******@host:9000", "s3://******@bucket/photos?X-Amz-Signature=******&b=c")
                .doesNotContain("hidden", "den6");
        assertThat(PipelineText.of(folder, new Yaml().dump(config.toMap()))
                        .read()
                        .maskedSecrets())
                .as("must be set again")
                .containsExactly("dataset.path", "flink.fs.s3a.access.key", "flink.s3.access-key", "flink.s3.endpoint");
        assertThat(config.maskedSecrets()).isEmpty();
        assertThat(config.run().flinkOfCluster()).isEmpty();
    }

    @Test
    void containersAndPlainAddressesAreNotMasked() throws Exception {
        String path = "abfs://container@account.dfs.core.windows.net/photos";
        PipelineConfig config = PipelineText.of(folder, PipelineText.SMALLEST)
                .read("dataset.path=" + path, "flink={s3.endpoint: 'http://[::1]:9000/a@b', a.b: 'c:d@e'}");

        assertThat(config.toMap().toString()).contains(path, "s3.endpoint=http://[::1]:9000/a@b", "a.b=c:d@e");
        assertThat(config.run().flinkOfCluster()).isEqualTo(config.run().flink());
    }

    @Test
    void webPortOfTheFileReplacesTheRange() throws Exception {
        PipelineText text = PipelineText.of(folder, PipelineText.SMALLEST);

        assertThat(text.read().run().webPorts()).isEqualTo("8081-8180");
        assertThat(text.read("run.web_port=8081").run().webPorts()).isEqualTo("8081");
        assertThat(text.read("run.web_port=0").run().webPorts()).isEqualTo("0");
        assertThat(text.read("run.web_port=8081", "run.web=off").run().webPorts())
                .isEqualTo("0");
    }

    @Test
    void aliasIsReadLikeTheValueItRefersTo() throws Exception {
        PipelineConfig config = PipelineText.of(folder, """
            dataset: {format: folder, path: photos}
            transforms: &same [decode, Resize: {size: 9}]
            train: {model: none}
            evaluate: {dataset: {format: folder, path: test}, transforms: *same}
            """).read();

        assertThat(config.evaluate().orElseThrow().transforms())
                .isEqualTo(config.data().transforms());
    }

    @Test
    void autoIsOneChainOnEachCpuUntilItIsChosen() throws Exception {
        PipelineText text = PipelineText.of(folder, PipelineText.SMALLEST);

        PipelineConfig open = text.read("parallelism=auto", "stages=auto");

        assertThat(open.slots().auto())
                .isEqualTo(new AutoConfig(
                        Set.of(AutoConfig.Choice.PARALLELISM, AutoConfig.Choice.STAGES),
                        Optional.empty(),
                        Duration.ofSeconds(6)));
        assertThat(open.slots().parallelism()).isEqualTo(Runtime.getRuntime().availableProcessors());
        assertThat(open.slots().stages()).isEqualTo(new StagesConfig(StagesConfig.Mode.FUSED, Map.of()));
        assertThat(text.read("parallelism=3", "stages=auto").slots().auto().choices())
                .containsExactly(AutoConfig.Choice.STAGES);
        assertThat(text.read("parallelism={auto: {most: 8, calibrate: 500ms}}")
                        .slots()
                        .auto())
                .isEqualTo(
                        new AutoConfig(Set.of(AutoConfig.Choice.PARALLELISM), Optional.of(8), Duration.ofMillis(500)));
        assertThat(text.read("parallelism={auto: }").slots().auto().choices())
                .containsExactly(AutoConfig.Choice.PARALLELISM);
    }

    @Test
    void chosenSlotsAreWrittenAsNumbers() throws Exception {
        PipelineConfig open = PipelineText.of(folder, PipelineText.SMALLEST)
                .read("transforms=[decode]", "parallelism=auto", "stages=auto");

        PipelineConfig chosen =
                open.with(open.slots().chosen(3, new StagesConfig(StagesConfig.Mode.FUSED, Map.of("decode", 9))));

        assertThat(chosen.toMap()).containsEntry("parallelism", 3).containsEntry("stages", Map.of("decode", 9));
    }

    @Test
    void repeatedTransformsAreCountedInStageNames() throws Exception {
        PipelineConfig config = PipelineText.of(folder, PipelineText.SMALLEST)
                .read("transforms=[decode, Resize: {size: 9}, Resize: {size: 8}]", "stages.Resize-2=4");

        assertThat(config.stageNames()).containsExactly("read", "decode", "Resize", "Resize-2", "pack");
        assertThat(config.slots().stages().separate("Resize-2")).isTrue();
        assertThat(config.slots().stages().separate("Resize")).isFalse();
        assertThat(config.slots().stages().parallelism("Resize-2", 2)).isEqualTo(4);
        assertThat(config.slots().stages().parallelism("Resize", 2)).isEqualTo(2);
    }

    @Test
    void fieldsAreReadAndWrittenWithAndWithoutForms() throws Exception {
        PipelineText text = PipelineText.of(folder, PipelineText.SMALLEST);

        assertThat(text.read("batch.fields=[image, mask]").batch().fields())
                .containsExactly(new WireField("image", Optional.empty()), new WireField("mask", Optional.empty()));
        PipelineConfig config = text.read(
                "batch.fields={image: auto, mask: bits, text: ragged}",
                "train.input=[image, text]",
                "train.target=mask");
        assertThat(config.batch().fields())
                .containsExactly(
                        new WireField("image", Optional.empty()),
                        new WireField("mask", Optional.of(Form.BITS)),
                        new WireField("text", Optional.of(Form.RAGGED)));
        PipelineConfig formed = text.read("batch.forms={text: ragged, mask: bits}");
        assertThat(formed.batch().fields()).isEmpty();
        assertThat(formed.batch().forms()).isEqualTo(Map.of("text", Form.RAGGED, "mask", Form.BITS));
        assertThat(PipelineText.of(folder, new Yaml().dump(formed.toMap())).read())
                .isEqualTo(formed);
        assertThat(config.train().roles()).isEqualTo(new Roles(List.of("image", "text"), "mask"));
        assertThat(text.read("train.input=photo").train().roles()).isEqualTo(new Roles(List.of("photo"), "label"));
        assertThat(PipelineText.of(folder, new Yaml().dump(config.toMap())).read())
                .isEqualTo(config);
    }

    @Test
    void fileWithoutAModelSendsAllFieldsAndTrainsNothing() throws Exception {
        Path file = Files.writeString(
                folder.resolve("served.yaml"), "dataset: {format: folder, path: photos}\nbatch: {size: 8}\n");
        PipelineConfig config = ConfigReader.read(file, List.of());
        assertThat(config.train().recipe().model().name()).isEqualTo("none");
        assertThat(config.batch().fields()).isEqualTo(WireField.ALL);
        assertThat(ConfigReader.read(file, List.of("batch.fields=[image]"))
                        .batch()
                        .fields())
                .containsExactly(WireField.auto("image"));
        assertThat(ConfigReader.read(file, List.of("train.model=none")).batch().fields())
                .isEmpty();
        assertThatThrownBy(() -> ConfigReader.readTrained(file, List.of()))
                .hasMessageContaining("served.yaml:1: train.model: missing");
    }

    @Test
    void nestedMixUpAndCutMixAreReadAndWritten() throws Exception {
        PipelineText text = PipelineText.of(folder, PipelineText.SMALLEST);

        PipelineConfig config = ConfigReader.read(
                text.file(),
                List.of("device.transforms=[ToFloat, RandomChoice: {transforms: [MixUp, CutMix: {alpha: 0.5}], p: [1,"
                        + " 3]}]"));
        assertThat(config.device().transforms()).hasSize(2);
        PipelineText written = PipelineText.of(folder, new Yaml().dump(config.toMap()));
        assertThat(ConfigReader.read(written.file(), List.of())).isEqualTo(config);
    }

    @Test
    void writtenConfigurationReadsBackEqual() throws Exception {
        PipelineConfig config = PipelineText.of(folder, FULL).read();

        String written = new Yaml().dump(config.toMap());

        assertThat(PipelineText.of(folder, written).read()).isEqualTo(config);
        PipelineConfig smallest =
                PipelineText.of(folder, PipelineText.SMALLEST).read("dataset.epochs=endless", "stages=separate");
        assertThat(PipelineText.of(folder, new Yaml().dump(smallest.toMap())).read())
                .isEqualTo(smallest);
    }

    @Test
    void valuesSentToTasksSurviveSerialization() throws Exception {
        PipelineConfig config = PipelineText.of(folder, FULL).read();
        List<Object> travelling = List.of(
                config.data().dataset().spec(),
                config.data().transforms().get(1),
                config.device().transforms().get(0),
                config.train().recipe().model());

        for (Object value : travelling) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(value);
            }
            try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
                assertThat(in.readObject()).isEqualTo(value);
            }
        }
    }

    private static OptionValues values(String key, Object value, Object... more) {
        Map<String, Object> raw = new HashMap<>(Map.of(key, value));
        for (int i = 0; i < more.length; i += 2) {
            raw.put((String) more[i], more[i + 1]);
        }
        return OptionValues.of(
                raw.keySet().stream()
                        .<Option<?>>map(k -> Option.of(k, Types.structure("any"), "Any."))
                        .toList(),
                raw);
    }

    private static Component component(String name) {
        return new Component(name, OptionValues.none());
    }

    private static Component component(String name, String key, Object value) {
        return new Component(name, values(key, value));
    }
}
