package io.millrace.pipeline;

import io.millrace.config.PipelineConfig;
import io.millrace.config.TransformPlace;
import io.millrace.train.input.DeviceTransforms;
import io.millrace.train.spec.Roles;
import io.millrace.transform.OutputSize;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Says where one transform is done, when it is decided for all behind it. Pure. */
abstract sealed class TransformPlaceRule {
    private final Roles roles;

    private TransformPlaceRule(PipelineConfig config) {
        this.roles = config.train().roles();
    }

    /**
     * Where, and why.
     *
     * @param place server or device
     */
    record Decision(TransformPlace place, String reason) {
        static Decision server(String reason) {
            return new Decision(TransformPlace.SERVER, reason);
        }

        static Decision device(String reason) {
            return new Decision(TransformPlace.DEVICE, reason);
        }
    }

    /** For the i-th entry. */
    abstract Decision decide(TransformPlacement.Border border, int i);

    /**
     * Makes sure that the i-th entry can be on the device.
     *
     * @throws PipelineException when not
     */
    void requirePossible(TransformPlacement.Border border, int i) throws PipelineException {
        Optional<String> obstacle = obstacle(border, i);
        if (obstacle.isPresent()) {
            throw new PipelineException(border.at(i).told() + " cannot be on the device: " + obstacle.get());
        }
    }

    /** Why the entry cannot be on the device, in words. */
    Optional<String> obstacle(TransformPlacement.Border border, int i) {
        PlaceableTransform entry = border.at(i);
        if (entry.changes().isEmpty()) {
            return Optional.of("there are " + known() + " alone");
        }
        if (!entry.ofSamples()) {
            return Optional.empty(); // it is of whole batches, and has its own order
        }
        List<PlaceableTransform> behind = border.onServersBehind(i);
        if (!behind.isEmpty()) {
            return Optional.of(behind.get(0).told() + " behind it is on the server");
        }
        if (entry.makesFloats() && !roles.inputs().contains(entry.field(roles))) {
            return Optional.of("it changes '" + entry.field(roles)
                    + "', which is no input of the model: expected one of " + roles.inputs());
        }
        if (entry.changesPictures()) {
            for (PlaceableTransform before : border.before(i)) {
                if (before.makesFloats()) {
                    return Optional.of("it changes bytes, and " + before.told() + " before it makes floats of them");
                }
                if (!before.ofSamples() && before.changes().equals(Optional.of(DeviceTransforms.Changes.BATCHES))) {
                    return Optional.of(before.told() + " before it mixes rows that are ready");
                }
            }
        }
        return Optional.empty();
    }

    private static String known() {
        return DeviceTransforms.all().stream()
                .map(choice -> choice.name())
                .filter(name -> DeviceTransforms.changes(name)
                        .filter(c -> c != DeviceTransforms.Changes.CLASSES && c != DeviceTransforms.Changes.BATCHES)
                        .isPresent())
                .collect(Collectors.joining(", "));
    }

    /** As the file says. */
    static final class AsAsked extends TransformPlaceRule {
        private final TransformPlacement.Trainer trainer;
        private final Roles roles;

        AsAsked(PipelineConfig config, TransformPlacement.Trainer trainer) {
            super(config);
            this.trainer = trainer;
            this.roles = config.train().roles();
        }

        @Override
        Decision decide(TransformPlacement.Border border, int i) {
            PlaceableTransform entry = border.at(i);
            if (entry.asked() != TransformPlace.AUTO) {
                return new Decision(entry.asked(), "as the file says");
            }
            Optional<String> obstacle = obstacle(border, i);
            if (obstacle.isPresent()) {
                return entry.knownToServers()
                        ? Decision.server("it cannot be on the device: " + obstacle.get())
                        : Decision.device("it is done to whole batches");
            }
            if (!entry.ofSamples()) {
                return Decision.device("it is done to whole batches");
            }
            if (entry.makesFloats()) {
                return Decision.device("floats are four times the bytes on the way");
            }
            Optional<PlaceableTransform> earlier = border.before(i).stream()
                    .filter(before -> before.ofSamples() && before.asked() == TransformPlace.DEVICE)
                    .findFirst();
            if (earlier.isPresent()) {
                return Decision.device(earlier.get().told() + " before it is to be on the device");
            }
            if (trainer == TransformPlacement.Trainer.HOST) {
                return Decision.server("the trainer has no GPU");
            }
            if (trainer == TransformPlacement.Trainer.UNKNOWN) {
                return Decision.server("the trainer may have no GPU; device.kind: cuda says that it has");
            }
            if (!OutputSize.isOneBehind(border.before(i).stream()
                    .filter(PlaceableTransform::knownToServers)
                    .map(before -> before.onServer(roles))
                    .toList())) {
                return Decision.server("pictures may differ in size before it");
            }
            if (!roles.target().equals(Roles.LABEL)) {
                return Decision.server("the target may be a picture, which the device leaves as it is");
            }
            return Decision.device("the trainer has a GPU, and all that follows is there");
        }
    }

    /** All on the servers but for what makes floats, unless the file wants that there, too. */
    static final class OnServers extends TransformPlaceRule {
        OnServers(PipelineConfig config) {
            super(config);
        }

        @Override
        Decision decide(TransformPlacement.Border border, int i) {
            PlaceableTransform entry = border.at(i);
            boolean floats = entry.makesFloats() && entry.standard() == TransformPlace.DEVICE;
            boolean moves = entry.knownToServers() && (!floats || entry.asked() == TransformPlace.SERVER);
            return moves ? Decision.server("to be seen") : Decision.device("to be seen");
        }
    }
}
