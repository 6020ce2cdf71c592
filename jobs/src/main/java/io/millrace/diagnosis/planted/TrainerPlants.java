package io.millrace.diagnosis.planted;

import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Limit;
import java.util.List;

/** The cases whose limit is the trainer: its training steps, evaluation or checkpoints. */
final class TrainerPlants {
    /** The ratio of the multiplications of the two models. A dense layer multiplies its inputs with its outputs. */
    private static final double SMALLER_MODEL =
            (3072.0 * 256 + 256 * 256 + 256 * 10) / (3072.0 * 1024 + 1024 * 1024 + 1024 * 10);

    private static final Plant TRAINING = new Plant(
            "compute-bound-training",
            Limit.Kind.TRAINING,
            CapacityModel.STEP,
            """
            dataset: { format: synthetic, size: 4096, shape: [32, 32, 3], epochs: endless }
            parallelism: 1
            batch: { size: 32 }
            device: { transforms: [ ToFloat: { scale: 255 } ] }
            train: { model: { mlp: { hidden: [1024, 1024] } }, threads: 1 }
            """,
            List.of("train.model={mlp: {hidden: [256, 256]}}"),
            (model, freed) -> model.scaled(CapacityModel.STEP, SMALLER_MODEL));

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
              transforms: [ Delay: { ms: 2, mode: sleep } ]
              every: 1
            """,
            List.of("evaluate.every=8"),
            (model, freed) -> model.evaluating(1.0 / 8));

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
            (model, freed) -> model.without(new Limit(Limit.Kind.TRAINER, "checkpoint", 1)));

    private TrainerPlants() {}

    static List<Plant> all() {
        return List.of(TRAINING, EVALUATION, CHECKPOINTS);
    }
}
