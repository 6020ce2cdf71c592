package io.millrace.pipeline;

import io.millrace.batch.Filling;
import io.millrace.batch.Form;
import io.millrace.batch.Handing;
import io.millrace.batch.MicroBatch;
import io.millrace.batch.MicroBatchType;
import io.millrace.batch.PackLimits;
import io.millrace.batch.PackOperator;
import io.millrace.batch.RankRouting;
import io.millrace.config.PipelineConfig;
import io.millrace.config.StagesConfig;
import io.millrace.config.TrainersConfig;
import io.millrace.device.SimulatedLink;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleType;
import io.millrace.sample.Samples;
import io.millrace.serve.ServeSpec;
import io.millrace.sink.deliver.DeliverOperatorFactory;
import io.millrace.sink.rows.SimulatedWireOperator;
import io.millrace.sink.spec.SinkSpec;
import io.millrace.sink.spec.Trainers;
import io.millrace.sink.trainer.ReplicaTrainOperatorFactory;
import io.millrace.sink.trainer.TrainOperatorFactory;
import io.millrace.source.DatasetSource;
import io.millrace.source.RunStart;
import io.millrace.transform.StageOperator;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;

/**
 * The builder of the stages of one pipeline within a job's graph, from its source to its sink. A served run with an evaluation has
 * two.
 *
 * <p>Tested by {@code RowsITCase} and {@code OneOrderITCase}.
 */
final class PipelineStages {
    private final StreamExecutionEnvironment environment;
    private final PipelineConfig config;
    private final RunPlan plan;
    private final SinkSpec sink;
    private final Filling filling;

    PipelineStages(
            StreamExecutionEnvironment environment,
            PipelineConfig config,
            RunPlan plan,
            SinkSpec sink,
            Filling filling) {
        this.environment = environment;
        this.config = config;
        this.plan = plan;
        this.sink = sink;
        this.filling = filling;
    }

    /** Adds the stages to the graph. */
    void add(Origin origin) {
        Path folder = Path.of(sink.run().folder());
        RunStart runStart = new RunStart(origin.position(), PositionSettings.of(config, plan, folder), origin.others());
        DatasetSource<Sample> source = source(runStart);
        SingleOutputStreamOperator<MicroBatch> packed =
                passesRows(config, plan) ? pack(read(source.inRows()), Stages.READ) : transformAndPack(read(source));
        int trainers = sink.train().trainers().count();
        String consumer = Stages.name(sink, sink.serve() == null ? Stages.TRAIN : Stages.DELIVER);
        SingleOutputStreamOperator<Void> training = received(
                        oneTask()
                                ? packed.forward()
                                : toTrainers(packed, sink.train().trainers()),
                        trainers)
                .transform(consumer, Types.VOID, consumerFactory())
                .uid(consumer)
                .setParallelism(trainers)
                .setMaxParallelism(trainers);
        config.slots().placement().ifPresent(placement -> training.slotSharingGroup(SlotGroups.ofTrainers(placement)));
    }

    private SingleOutputStreamOperator<MicroBatch> transformAndPack(SingleOutputStreamOperator<Sample> read) {
        SingleOutputStreamOperator<Sample> samples = read;
        String before = Stages.READ;
        for (Stage stage : Stages.transforms(config)) {
            samples = samples.transform(Stages.name(sink, stage.name()), SampleType.INSTANCE, operator(stage))
                    .uid(Stages.name(sink, stage.name()))
                    .setParallelism(stage.parallelism());
            if (stage.newChain()) {
                samples.startNewChain();
            }
            before = stage.name();
        }
        return pack(samples, before);
    }

    private <T extends Samples> SingleOutputStreamOperator<MicroBatch> pack(
            SingleOutputStreamOperator<T> samples, String before) {
        PackOperator<T> packer = packer();
        SingleOutputStreamOperator<MicroBatch> packed = samples.transform(
                        Stages.name(sink, Stages.PACK),
                        new MicroBatchType(plan.rows()),
                        packer.handing(oneTask() ? Handing.OVER : Handing.LEND)
                                .filling(filling)
                                .recorded(sink.observers().recording())
                                .ofDatasets(Pipeline.datasets(config)))
                .uid(Stages.name(sink, Stages.PACK))
                .setParallelism(Pipeline.stageParallelism(config, Stages.PACK));
        if (Stages.beginsTask(config.slots().stages(), before, Stages.PACK)) {
            packed.startNewChain();
        }
        return packed;
    }

    /**
     * Returns whether the source may pass several samples to the packer as one record: nothing stands between them, they are in
     * one chain, and no value has to be converted.
     */
    static boolean passesRows(PipelineConfig config, RunPlan plan) {
        return Stages.transforms(config).isEmpty()
                && !Stages.beginsTask(config.slots().stages(), Stages.READ, Stages.PACK)
                && Pipeline.stageParallelism(config, Stages.READ) == Pipeline.stageParallelism(config, Stages.PACK)
                && plan.rows().columns().stream()
                        .allMatch(column -> column.form() == Form.DENSE && !column.converted());
    }

    /**
     * Returns whether the training operator is in the chain of the only slot, so that micro-batches are handed over and not
     * serialized. A diagnosis may change the slots of such a pipeline, which then has a task for the trainer. The sink of an
     * evaluation has a task of its own, so that it hears of clients while rows wait for them.
     */
    private boolean oneTask() {
        return !Stages.isEvaluation(sink)
                && config.slots().stages().mode() == StagesConfig.Mode.ONE_TASK
                && Pipeline.slots(config) == 1
                && config.slots().placement().isEmpty()
                && config.device().simulated().network().isEmpty();
    }

    private <T extends Samples> PackOperator<T> packer() {
        PackLimits limits = PackLimits.ofRows(config.batch().size());
        Trainers trainers = sink.train().trainers();
        return trainers.split().ranks() == 1
                ? new PackOperator<>(plan.rows(), limits)
                : PackOperator.perRank(plan.rows(), limits, trainers.split());
    }

    private OneInputStreamOperatorFactory<MicroBatch, Void> consumerFactory() {
        ServeSpec serve = sink.serve();
        if (serve != null) {
            return new DeliverOperatorFactory(sink, serve);
        }
        return sink.train().trainers().count() > 1
                        && config.train().trainers().replicas() == TrainersConfig.Replicas.SYNC
                ? new ReplicaTrainOperatorFactory(sink)
                : new TrainOperatorFactory(sink);
    }

    /**
     * Returns the stream of received micro-batches, with a simulated slow network if the pipeline file configures one.
     */
    private DataStream<MicroBatch> received(DataStream<MicroBatch> sent, int trainers) {
        Optional<SimulatedLink> network = config.device().simulated().network();
        if (network.isEmpty()) {
            return sent;
        }
        SingleOutputStreamOperator<MicroBatch> received = sent.transform(
                        Stages.name(sink, SimulatedWireOperator.NAME),
                        new MicroBatchType(plan.rows()),
                        new SimulatedWireOperator(network.get()))
                .uid(Stages.name(sink, SimulatedWireOperator.NAME))
                .setParallelism(trainers)
                .setMaxParallelism(trainers);
        config.slots().placement().ifPresent(placement -> received.slotSharingGroup(SlotGroups.ofTrainers(placement)));
        return received;
    }

    /** Sends each rank's rows to its own subtask, or all rows to every subtask. */
    private static DataStream<MicroBatch> toTrainers(DataStream<MicroBatch> packed, Trainers trainers) {
        if (trainers.count() == 1) {
            return packed.rebalance();
        }
        return trainers.split().ranks() == 1
                ? packed.broadcast()
                : packed.partitionCustom(RankRouting.toSubtask(), RankRouting.rank(trainers.split()));
    }

    private DatasetSource<Sample> source(RunStart runStart) {
        DatasetSource<Sample> source = DatasetSource.of(
                plan.data(config),
                ReadSettings.of(config, plan),
                runStart,
                sink.observers().recording());
        ServeSpec serve = sink.serve();
        return serve == null ? source : source.served(serve.run());
    }

    private <T extends Samples> SingleOutputStreamOperator<T> read(DatasetSource<T> source) {
        String name = Stages.name(sink, Stages.READ);
        SingleOutputStreamOperator<T> samples = environment
                .fromSource(source, WatermarkStrategy.noWatermarks(), name, source.getProducedType())
                .uid(name)
                .setParallelism(Pipeline.stageParallelism(config, Stages.READ));
        // The later stages inherit the slot sharing group.
        config.slots().placement().ifPresent(placement -> samples.slotSharingGroup(SlotGroups.ofData(placement)));
        return samples;
    }

    private StageOperator operator(Stage stage) {
        return StageOperator.of(stage.place(config), sink.observers().recording());
    }
}
