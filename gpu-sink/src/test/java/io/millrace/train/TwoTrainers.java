package io.millrace.train;

import static io.millrace.train.Vectors.part;

import io.millrace.train.network.Models;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.TrainSpec;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Trainings of two models, each by itself or both at a time. */
public final class TwoTrainers<T> {
    /** Trains a model and returns the result. The barrier keeps the two trainings from running one after the other. */
    @FunctionalInterface
    public interface Training<T> {
        T train(TrainSpec spec, Vectors vectors, CyclicBarrier barrier) throws Exception;
    }

    private final Vectors vectors = Vectors.read("convnet_adam.safetensors");
    private final TrainSpec mlp;
    private final TrainSpec convnet;
    private final Training<T> training;

    public TwoTrainers(Component mlpOptimizer, Training<T> training) throws IOException {
        this.training = training;
        this.mlp = TrainingFigures.spec(
                vectors.spec(),
                TrainingFigures.COLOR,
                part(Models.all(), "mlp", Map.of("hidden", List.of(32L), "classes", 3L)),
                mlpOptimizer);
        this.convnet = TrainingFigures.spec(
                vectors.spec(),
                TrainingFigures.COLOR,
                part(Models.all(), "convnet", Map.of("channels", List.of(4L, 8L), "classes", 3L)),
                TrainingFigures.SGD_NESTEROV);
    }

    public T mlpAlone() throws Exception {
        return training.train(mlp, vectors, new CyclicBarrier(1));
    }

    public T convnetAlone() throws Exception {
        return training.train(convnet, vectors, new CyclicBarrier(1));
    }

    /** Returns the results of the mlp and of the convnet, trained at the same time. */
    public List<T> together() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            Future<T> first = threads.submit(() -> training.train(mlp, vectors, both));
            Future<T> second = threads.submit(() -> training.train(convnet, vectors, both));
            return List.of(first.get(), second.get());
        } finally {
            threads.shutdown();
        }
    }
}
