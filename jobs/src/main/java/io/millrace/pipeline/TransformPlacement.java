package io.millrace.pipeline;

import io.millrace.config.DeviceConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.config.PlacedTransforms;
import io.millrace.config.TransformPlace;
import io.millrace.sample.Split;
import io.millrace.train.engine.GpuRequirements;
import io.millrace.train.spec.Component;
import io.millrace.transform.TransformSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The decision where each transform runs: on the data servers or on the device. The transforms on the device form the
 * end of the list. The place does not change a sample's random numbers, because they depend on the transform's index in
 * the list. Pure.
 */
public final class TransformPlacement {
    private static final String SAMPLES = "transforms";
    private static final String EVALUATED = "evaluate.transforms";
    private static final String BATCHES = "device.transforms";

    private final PipelineConfig config;
    private final TransformPlaceRule rule;
    private final List<PlaceableTransform> batches = new ArrayList<>();
    private final List<PlacedTransforms.PlaceDecision> decisions = new ArrayList<>();

    /** The device that trains. */
    public enum Trainer {
        /** A GPU, which can also run transforms. */
        GPU,
        /** The CPU. */
        HOST,
        /** A GPU or the CPU, depending on the trainer's machine. */
        UNKNOWN
    }

    private TransformPlacement(PipelineConfig config, TransformPlaceRule rule) {
        this.config = config;
        this.rule = rule;
        for (Component component : config.device().transforms()) {
            batches.add(PlaceableTransform.ofBatches(BATCHES, batches.size(), component));
        }
    }

    /** Returns the pipeline with all transforms in their places, for the device that the pipeline file names. */
    public static PipelineConfig of(PipelineConfig config) throws PipelineException {
        return of(
                config,
                switch (config.device().kind()) {
                    case CUDA -> Trainer.GPU;
                    case HOST -> Trainer.HOST;
                    case AUTO -> Trainer.UNKNOWN;
                });
    }

    /**
     * Returns the pipeline with all transforms in their places, for trainers in this process, which can check whether
     * there is a GPU.
     */
    public static PipelineConfig here(PipelineConfig config) throws PipelineException {
        if (config.device().kind() != DeviceConfig.Kind.AUTO || !leavesOpen(config)) {
            return of(config); // the lookup of a GPU loads the driver
        }
        return of(config, GpuRequirements.missing().isEmpty() ? Trainer.GPU : Trainer.HOST);
    }

    private static boolean leavesOpen(PipelineConfig config) {
        Stream<TransformSpec> samples = Stream.concat(
                config.data().transforms().stream(),
                config.evaluate().stream().flatMap(evaluate -> evaluate.transforms().stream()));
        return Stream.concat(
                        samples.map(TransformSpec::options),
                        config.device().transforms().stream().map(Component::options))
                .anyMatch(options -> options.find(TransformPlace.OPTION)
                        .filter(place -> place == TransformPlace.AUTO)
                        .isPresent());
    }

    /**
     * Returns the pipeline with all transforms in their places.
     *
     * @throws PipelineException when a transform cannot run in the place that the file names
     */
    public static PipelineConfig of(PipelineConfig config, Trainer trainer) throws PipelineException {
        return new TransformPlacement(config, new TransformPlaceRule.AsConfigured(config, trainer)).decided();
    }

    /**
     * Returns the pipeline for code that shows single samples: where possible, all transforms of samples run on the
     * data servers, and the conversion to floats runs on the device.
     */
    public static PipelineConfig onServers(PipelineConfig config) throws PipelineException {
        return new TransformPlacement(config, new TransformPlaceRule.OnServers(config)).decided();
    }

    private PipelineConfig decided() throws PipelineException {
        List<PlaceableTransform> train = entries(SAMPLES, config.data().transforms());
        Border trained = samples(train);
        List<PlaceableTransform> evaluate = entries(EVALUATED, config.transforms(Split.EVALUATE));
        Border evaluated = evaluated(evaluate, trained);
        List<TransformSpec> onDevice = trained.onDevice();
        return config.placed(
                trained.onServers(),
                evaluated.onServers(),
                batches.stream()
                        .filter(b -> !b.changesImages() && trained.isOnDevice(b))
                        .map(PlaceableTransform::onDevice)
                        .toList(),
                new PlacedTransforms(
                        onDevice, config.evaluate().isEmpty() ? onDevice : evaluated.onDevice(), decisions));
    }

    private static List<PlaceableTransform> entries(String list, List<TransformSpec> specs) {
        List<PlaceableTransform> entries = new ArrayList<>();
        for (TransformSpec spec : specs) {
            entries.add(PlaceableTransform.ofSamples(list, entries.size(), spec));
        }
        return entries;
    }

    /** Decides the places for training: the list of transforms of samples, then the transforms of batches. */
    private Border samples(List<PlaceableTransform> train) throws PipelineException {
        Border border = new Border(train, batches);
        for (int i = border.all.size() - 1; i >= 0; i--) {
            decide(border, i);
        }
        return border;
    }

    /**
     * Decides the places for evaluation. The list of evaluation ends with the transforms of batches that do not apply
     * to training only.
     */
    private Border evaluated(List<PlaceableTransform> evaluate, Border trained) throws PipelineException {
        List<PlaceableTransform> following =
                batches.stream().filter(b -> !b.trainingOnly()).toList();
        Border border = new Border(evaluate, following);
        following.stream().filter(trained::isOnDevice).forEach(border.device::add);
        for (int i = evaluate.size() - 1; i >= 0; i--) {
            decide(border, i);
        }
        return border;
    }

    private void decide(Border border, int i) throws PipelineException {
        PlaceableTransform entry = border.at(i);
        TransformPlaceRule.Decision decision = rule.decide(border, i);
        boolean onDevice = decision.place() == TransformPlace.DEVICE;
        if (onDevice) {
            rule.requirePossible(border, i);
            border.device.add(0, entry);
        } else if (!entry.runsOnServers()) {
            throw new PipelineException(
                    entry.describe() + " cannot run on the server: it applies to whole batches, on the device only");
        }
        if (entry.placeInFile().isPresent()) {
            decisions.add(
                    border.firstDecision,
                    new PlacedTransforms.PlaceDecision(
                            entry.describe(), onDevice ? "device" : "server", decision.reason()));
        }
    }

    /** The decisions about one list of transforms. They are made from the end of the list to its beginning. */
    final class Border {
        private final List<PlaceableTransform> all;
        private final int ofSamples;
        private final List<PlaceableTransform> device = new ArrayList<>();
        private final int firstDecision = decisions.size();

        private Border(List<PlaceableTransform> samples, List<PlaceableTransform> following) {
            this.all = Stream.concat(samples.stream(), following.stream()).toList();
            this.ofSamples = samples.size();
        }

        PlaceableTransform at(int i) {
            return all.get(i);
        }

        boolean isOnDevice(PlaceableTransform entry) {
            return device.contains(entry);
        }

        /** Returns the entries before the i-th. */
        List<PlaceableTransform> before(int i) {
            return all.subList(0, i);
        }

        /** Returns the entries after the i-th that are decided to run on the servers. */
        List<PlaceableTransform> onServersAfter(int i) {
            return all.subList(i + 1, all.size()).stream()
                    .filter(entry -> entry.ofSamples() && !isOnDevice(entry))
                    .toList();
        }

        private List<TransformSpec> onServers() {
            return all.stream()
                    .filter(entry -> !isOnDevice(entry))
                    .map(entry -> entry.onServer(config.train().roles()))
                    .toList();
        }

        /**
         * Returns the transforms on the device that draw random numbers per sample: the transforms of samples, and the
         * transforms of batches that change images.
         */
        private List<TransformSpec> onDevice() {
            List<TransformSpec> moved = new ArrayList<>();
            for (int i = 0; i < all.size(); i++) {
                PlaceableTransform entry = all.get(i);
                if (isOnDevice(entry) && (i < ofSamples || entry.changesImages())) {
                    moved.add(entry.onServer(config.train().roles()));
                }
            }
            return moved;
        }
    }
}
