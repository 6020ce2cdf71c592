package io.millrace.pipeline;

import io.millrace.config.DeviceConfig;
import io.millrace.config.EvaluateConfig;
import io.millrace.config.PipelineConfig;
import io.millrace.config.PlacedTransforms;
import io.millrace.config.TransformPlace;
import io.millrace.train.engine.Gpus;
import io.millrace.train.spec.Component;
import io.millrace.transform.TransformSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Decides where each transform is done, and moves it across the border between the data servers and the device: what is
 * done on the device is the end of the list. Whatever is drawn for a sample stays what it is, as it goes by the place in the
 * list. Pure.
 */
public final class TransformPlacement {
    private static final String SAMPLES = "transforms";
    private static final String EVALUATED = "evaluate.transforms";
    private static final String BATCHES = "device.transforms";

    private final PipelineConfig config;
    private final TransformPlaceRule rule;
    private final List<PlaceableTransform> batches = new ArrayList<>();
    private final List<PlacedTransforms.Told> told = new ArrayList<>();

    /** What trains. */
    public enum Trainer {
        /** A graphics processor, which has time for more than training. */
        GPU,
        /** The processor. */
        HOST,
        /** One or the other, as the machine has it that the trainer comes to. */
        UNKNOWN
    }

    private TransformPlacement(PipelineConfig config, TransformPlaceRule rule) {
        this.config = config;
        this.rule = rule;
        for (Component part : config.device().transforms()) {
            batches.add(PlaceableTransform.ofBatches(BATCHES, batches.size(), part));
        }
    }

    /** The pipeline with all transforms where they are done, by the device that its file names. */
    public static PipelineConfig of(PipelineConfig config) throws PipelineException {
        return of(
                config,
                switch (config.device().kind()) {
                    case CUDA -> Trainer.GPU;
                    case HOST -> Trainer.HOST;
                    case AUTO -> Trainer.UNKNOWN;
                });
    }

    /** The same where the trainers are in this process, of which is known whether it has a GPU. */
    public static PipelineConfig here(PipelineConfig config) throws PipelineException {
        if (config.device().kind() != DeviceConfig.Kind.AUTO || !leavesOpen(config)) {
            return of(config); // looking for a GPU loads the driver
        }
        return of(config, Gpus.missing().isEmpty() ? Trainer.GPU : Trainer.HOST);
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
     * The pipeline with all transforms where they are done.
     *
     * @throws PipelineException when one cannot be where the file wants it
     */
    public static PipelineConfig of(PipelineConfig config, Trainer trainer) throws PipelineException {
        return new TransformPlacement(config, new TransformPlaceRule.AsConfigured(config, trainer)).decided();
    }

    /**
     * The same with all that changes samples on the data servers, where that can be, and floats made on the device: for who
     * looks at samples one by one.
     */
    public static PipelineConfig onServers(PipelineConfig config) throws PipelineException {
        return new TransformPlacement(config, new TransformPlaceRule.OnServers(config)).decided();
    }

    private PipelineConfig decided() throws PipelineException {
        List<PlaceableTransform> train = entries(SAMPLES, config.data().transforms());
        Border trained = samples(train);
        List<PlaceableTransform> evaluate = entries(
                EVALUATED, config.evaluate().map(EvaluateConfig::transforms).orElse(List.of()));
        Border evaluated = evaluated(evaluate, trained);
        List<TransformSpec> onDevice = trained.onDevice();
        return config.placed(
                trained.onServers(),
                evaluated.onServers(),
                batches.stream()
                        .filter(b -> !b.changesPictures() && trained.isOnDevice(b))
                        .map(PlaceableTransform::onDevice)
                        .toList(),
                new PlacedTransforms(onDevice, config.evaluate().isEmpty() ? onDevice : evaluated.onDevice(), told));
    }

    private static List<PlaceableTransform> entries(String list, List<TransformSpec> specs) {
        List<PlaceableTransform> entries = new ArrayList<>();
        for (TransformSpec spec : specs) {
            entries.add(PlaceableTransform.ofSamples(list, entries.size(), spec));
        }
        return entries;
    }

    /** The way of training: through its list, and what is done behind it on batches. */
    private Border samples(List<PlaceableTransform> train) throws PipelineException {
        Border border = new Border(train, batches);
        for (int i = border.all.size() - 1; i >= 0; i--) {
            decide(border, i);
        }
        return border;
    }

    /** The way of evaluation, whose end is that of training but for what that alone has. */
    private Border evaluated(List<PlaceableTransform> evaluate, Border trained) throws PipelineException {
        List<PlaceableTransform> behind =
                batches.stream().filter(b -> !b.trainingOnly()).toList();
        Border border = new Border(evaluate, behind);
        behind.stream().filter(trained::isOnDevice).forEach(border.device::add);
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
        } else if (!entry.knownToServers()) {
            throw new PipelineException(
                    entry.told() + " cannot be on the server: it applies to whole batches, on the device only");
        }
        if (entry.wish().isPresent()) {
            told.add(
                    border.firstTold,
                    new PlacedTransforms.Told(entry.told(), onDevice ? "device" : "server", decision.reason()));
        }
    }

    /** What has been decided of one way of samples, from its end on. */
    final class Border {
        private final List<PlaceableTransform> all;
        private final int ofSamples;
        private final List<PlaceableTransform> device = new ArrayList<>();
        private final int firstTold = told.size();

        private Border(List<PlaceableTransform> samples, List<PlaceableTransform> behind) {
            this.all = Stream.concat(samples.stream(), behind.stream()).toList();
            this.ofSamples = samples.size();
        }

        PlaceableTransform at(int i) {
            return all.get(i);
        }

        boolean isOnDevice(PlaceableTransform entry) {
            return device.contains(entry);
        }

        /** What samples go through before that entry. */
        List<PlaceableTransform> before(int i) {
            return all.subList(0, i);
        }

        /** What they go through behind it on the servers, once that is decided. */
        List<PlaceableTransform> onServersBehind(int i) {
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

        /** Those of the samples' list, and what changes pictures of batches: both go by samples. */
        private List<TransformSpec> onDevice() {
            List<TransformSpec> moved = new ArrayList<>();
            for (int i = 0; i < all.size(); i++) {
                PlaceableTransform entry = all.get(i);
                if (isOnDevice(entry) && (i < ofSamples || entry.changesPictures())) {
                    moved.add(entry.onServer(config.train().roles()));
                }
            }
            return moved;
        }
    }
}
