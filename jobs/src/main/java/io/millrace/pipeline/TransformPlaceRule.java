package io.millrace.pipeline;

import io.millrace.config.PipelineConfig;
import io.millrace.config.TransformPlace;
import io.millrace.train.input.DeviceTransforms;
import io.millrace.train.spec.Roles;
import io.millrace.transform.OutputSize;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The rule that decides where one transform runs. The places of the transforms after it are decided first. Stateless.
 *
 * <p>Tested by {@code TransformPlacementTest}.
 */
abstract sealed class TransformPlaceRule {
    private final Roles roles;

    /** Whether samples have boxes or points, which only the data servers move with the pixels. */
    private final boolean boxes;

    /** Whether the random numbers of a sample depend on more than the epoch of the run. */
    private final boolean ownRounds;

    private TransformPlaceRule(PipelineConfig config) {
        this.ownRounds = config.data().hasOwnRounds();
        this.roles = config.train().roles();
        this.boxes = BoxFields.declared(config);
    }

    /**
     * The place of a transform, and the reason.
     *
     * @param place the server or the device
     * @param reason the reason, as a clause for the user
     */
    record Decision(TransformPlace place, String reason) {
        static Decision server(String reason) {
            return new Decision(TransformPlace.SERVER, reason);
        }

        static Decision device(String reason) {
            return new Decision(TransformPlace.DEVICE, reason);
        }
    }

    /** Decides the place of entry {@code i}. */
    abstract Decision decide(TransformPlacement.Border border, int i);

    /**
     * Checks that entry {@code i} can run on the device.
     *
     * @throws PipelineException when it cannot
     */
    void requirePossible(TransformPlacement.Border border, int i) throws PipelineException {
        Optional<String> obstacle = obstacle(border, i);
        if (obstacle.isPresent()) {
            throw new PipelineException(border.at(i).describe() + " cannot run on the device: " + obstacle.get());
        }
    }

    /** Returns the reason why entry {@code i} cannot run on the device; empty when it can. */
    Optional<String> obstacle(TransformPlacement.Border border, int i) {
        PlaceableTransform entry = border.at(i);
        if (entry.changes().isEmpty()) {
            return Optional.of("the device supports only " + known());
        }
        if (boxes && entry.mixesRows()) {
            return Optional.of(
                    "it mixes the pictures of two samples, but not their boxes and points; remove it, or do not read these fields");
        }
        if (!entry.ofSamples()) {
            return Optional.empty(); // it applies to whole batches, which have an order of their own
        }
        if (boxes && entry.movesPixels()) {
            return Optional.of(
                    "the device does not move the boxes and points of samples with the pixels; write it in transforms, with place: server");
        }
        if (ownRounds && entry.changes().equals(Optional.of(DeviceTransforms.Changes.PICTURES_AT_RANDOM))) {
            return Optional.of(
                    "in a mixture, or with order.skip_steps, order.weights or order.balance, its random numbers do not follow the"
                            + " epochs of the run, which are all that the device knows; use place: server");
        }
        List<PlaceableTransform> following = border.onServersAfter(i);
        if (!following.isEmpty()) {
            return Optional.of(following.get(0).describe() + " after it runs on the server");
        }
        if (entry.makesFloats() && !roles.inputs().contains(entry.field(roles))) {
            return Optional.of("it changes '" + entry.field(roles)
                    + "', which is no input of the model: expected one of " + roles.inputs());
        }
        if (entry.changesImages()) {
            for (PlaceableTransform before : border.before(i)) {
                if (before.makesFloats()) {
                    return Optional.of(
                            "it changes bytes, and " + before.describe() + " before it converts them to floats");
                }
                if (before.mixesRows()) {
                    return Optional.of(before.describe() + " before it mixes finished rows");
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

    /** The rule of a run: the places that the pipeline file sets. */
    static final class AsConfigured extends TransformPlaceRule {
        private final TransformPlacement.Trainer trainer;
        private final Roles roles;

        AsConfigured(PipelineConfig config, TransformPlacement.Trainer trainer) {
            super(config);
            this.trainer = trainer;
            this.roles = config.train().roles();
        }

        @Override
        Decision decide(TransformPlacement.Border border, int i) {
            PlaceableTransform entry = border.at(i);
            if (entry.requestedPlace() != TransformPlace.AUTO) {
                return new Decision(entry.requestedPlace(), "as set in the pipeline file");
            }
            Optional<String> obstacle = obstacle(border, i);
            if (obstacle.isPresent()) {
                return entry.runsOnServers()
                        ? Decision.server("it cannot run on the device: " + obstacle.get())
                        : Decision.device("it applies to whole batches");
            }
            if (!entry.ofSamples()) {
                return Decision.device("it applies to whole batches");
            }
            if (entry.makesFloats()) {
                return Decision.device("floats have four times the bytes on the wire");
            }
            Optional<PlaceableTransform> earlier = border.before(i).stream()
                    .filter(before -> before.ofSamples() && before.requestedPlace() == TransformPlace.DEVICE)
                    .findFirst();
            if (earlier.isPresent()) {
                return Decision.device(earlier.get().describe() + " before it runs on the device");
            }
            if (trainer == TransformPlacement.Trainer.HOST) {
                return Decision.server("the trainer has no GPU");
            }
            if (trainer == TransformPlacement.Trainer.UNKNOWN) {
                return Decision.server("the trainer may have no GPU; set device.kind: cuda if it has one");
            }
            if (!OutputSize.isOneSizeAfter(border.before(i).stream()
                    .filter(PlaceableTransform::runsOnServers)
                    .map(before -> before.onServer(roles))
                    .toList())) {
                return Decision.server("images may differ in size before it");
            }
            if (!roles.target().equals(Roles.LABEL)) {
                return Decision.server("the target may be an image, which the device leaves unchanged");
            }
            return Decision.device("the trainer has a GPU, and all transforms after it run there");
        }
    }

    /**
     * The rule for the display of samples. All transforms run on the servers, except for transforms to floats, which
     * run on the device unless the pipeline file places them on the servers.
     */
    static final class OnServers extends TransformPlaceRule {
        OnServers(PipelineConfig config) {
            super(config);
        }

        @Override
        Decision decide(TransformPlacement.Border border, int i) {
            PlaceableTransform entry = border.at(i);
            boolean floats = entry.makesFloats() && entry.standard() == TransformPlace.DEVICE;
            boolean moves = entry.runsOnServers() && (!floats || entry.requestedPlace() == TransformPlace.SERVER);
            return moves ? Decision.server("for display") : Decision.device("for display");
        }
    }
}
