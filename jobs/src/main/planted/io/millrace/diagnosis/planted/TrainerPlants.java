package io.millrace.diagnosis.planted;

import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Limit;
import java.util.List;

/** The cases whose limit is the trainer: its training steps, evaluation or checkpoints. */
final class TrainerPlants {
    /** The ratio of the multiplications of the two models. A dense layer multiplies its inputs with its outputs. */
    private static final double SMALLER_MODEL =
            (3072.0 * 256 + 256 * 256 + 256 * 10) / (3072.0 * 1024 + 1024 * 1024 + 1024 * 10);

    /** Large batches, for which the step multiplies most of the time. With small ones it waits for the weights in memory. */
    private static final Plant TRAINING = new Plant(
                    "compute-bound-training",
                    Limit.Kind.TRAINING,
                    CapacityModel.STEP,
                    """
            dataset: { format: synthetic, size: 4096, shape: [32, 32, 3], epochs: endless }
            parallelism: 1
            batch: { size: 256 }
            device: { transforms: [ ToFloat: { scale: 255 } ] }
            train: { model: { mlp: { hidden: [1024, 1024] } }, threads: 1 }
            """,
                    List.of("train.model={mlp: {hidden: [256, 256]}}"),
                    TrainerPlants::withSmallerModel)
            .withLeastStep(List.of("train.model={mlp: {hidden: [1, 1]}}"));

    /** Keeps the part of a step that does not depend on the size of the model, such as the calls of the engine. */
    private static CapacityModel withSmallerModel(CapacityModel model, Plant.Known known) {
        double step = model.stepSecondsPerSample().orElse(Double.NaN);
        double least = Math.min(step, known.leastStepSeconds());
        return model.scaled(CapacityModel.STEP, (least + (step - least) * SMALLER_MODEL) / step);
    }

    /** An evaluation with 256 images after every 128 trained images. After the fix it follows every 1,024. */
    private static final Plant EVALUATION = new Plant(
            "evaluation-too-often",
            Limit.Kind.EVALUATION,
            "evaluate",
            """
            dataset: { format: synthetic, size: 128, shape: [32, 32, 3], epochs: endless }
            parallelism: 2
            transforms: [ Delay: { ms: 2, mode: sleep } ]
            batch: { size: 8 }
            device: { transforms: [ ToFloat: { scale: 255 } ] }
            train: { model: { mlp: { hidden: [64] } }, threads: 1 }
            evaluate:
              dataset: { format: synthetic, size: 256, shape: [32, 32, 3] }
              transforms: [ Delay: { ms: 1, mode: sleep }, Delay: { ms: 1, mode: sleep } ]
              every: 1
            """,
            List.of("evaluate.every=8"),
            (model, known) -> model.evaluating(1.0 / 8));

    /** Checkpoints that copy a model of 1.7 MB from the device each time. */
    private static final Plant CHECKPOINTS = new Plant(
            "checkpoint-too-often",
            Limit.Kind.TRAINER,
            "checkpoint",
            """
            dataset: { format: synthetic, size: 4096, shape: [8, 8, 3], epochs: endless }
            parallelism: 4
            transforms: [ Delay: { ms: 4, mode: sleep } ]
            batch: { size: 8 }
            device: { transforms: [ ToFloat: { scale: 255 } ], simulated_bandwidth: 400kB/s }
            train: { model: { mlp: { hidden: [2048] } }, optimizer: { sgd: { learning_rate: 0.01 } }, threads: 1 }
            checkpoint: { interval: 200ms }
            """,
            List.of("checkpoint=off"),
            (model, known) -> model.without(new Limit(Limit.Kind.TRAINER, "checkpoint", 1)));

    /** Large JPEGs for evaluation, which the slots decode between the images for training. */
    private static final Plant EVALUATION_DECODE = new Plant(
                    "evaluation-decode",
                    Limit.Kind.EVALUATION,
                    "evaluate-decode",
                    """
                    dataset: { format: folder, path: DATA/train, epochs: endless }
                    parallelism: 1
                    transforms: [ decode, Delay: { ms: 1, mode: sleep } ]
                    batch: { size: 8 }
                    device: { transforms: [ ToFloat: { scale: 255 } ] }
                    train: { model: { mlp: { hidden: [16] } }, threads: 1 }
                    evaluate:
                      dataset: { format: folder, path: DATA/large }
                      transforms: [ decode, Delay: { ms: 1, mode: sleep }, CenterCrop: { size: 32 } ]
                      every: 1
                    """,
                    List.of("evaluate.dataset.path=DATA/small"),
                    (model, known) -> model.scaled("evaluate-decode", 0.25))
            .with(folder -> {
                PlantData.images(folder.resolve("train"), 64, 32);
                PlantData.jpegs(folder.resolve("large"), 32, 1600);
                PlantData.jpegs(folder.resolve("small"), 32, 800);
            });

    /**
     * A device whose batches arrive every 200 ms, and whose steps take 194 ms. Faster data would bring only 3 %, so training is
     * the limit. The fix is a network and a device that are both faster.
     */
    private static final Plant STARVED = new Plant(
            "asynchronous-starved",
            Limit.Kind.TRAINING,
            CapacityModel.STEP,
            """
            dataset: { format: synthetic, size: 4096, shape: [512, 512, 3], epochs: endless }
            parallelism: 1
            batch: { size: 5 }
            device: { simulated_asynchronous: true, simulated_step: 194ms, simulated_network: 19660800B/s }
            train: { model: none }
            """,
            List.of("device.simulated_step=97ms", "device.simulated_network=39321600B/s"),
            (model, known) -> model.scaled(CapacityModel.STEP, 0.5));

    /**
     * Checkpoints of 1.7 MB to storage with 3 MB/s. Flink stores them while training continues, so the fix, faster storage, does
     * not raise the speed. Without it, the checkpoints cannot be as frequent as the pipeline requires.
     */
    private static final Plant CHECKPOINT_STORAGE = new Plant(
                    "slow-checkpoint-storage",
                    Limit.Kind.SLOTS,
                    "Delay",
                    """
                    dataset: { format: synthetic, size: 4096, shape: [8, 8, 3], epochs: endless }
                    parallelism: 2
                    transforms: [ Delay: { ms: 8, mode: sleep } ]
                    batch: { size: 8 }
                    device: { transforms: [ ToFloat: { scale: 255 } ] }
                    train: { model: { mlp: { hidden: [2048] } }, optimizer: { sgd: { learning_rate: 0.01 } }, threads: 1 }
                    checkpoint: { interval: 200ms, path: "throttled://bandwidth-3000000.each-0.open-0DATA" }
                    """,
                    List.of("checkpoint.path=throttled://bandwidth-0.each-0.open-0DATA"),
                    (model, known) -> model)
            .withSlowCheckpoints();

    private TrainerPlants() {}

    static List<Plant> all() {
        return List.of(TRAINING, EVALUATION, CHECKPOINTS, EVALUATION_DECODE, STARVED, CHECKPOINT_STORAGE);
    }
}
