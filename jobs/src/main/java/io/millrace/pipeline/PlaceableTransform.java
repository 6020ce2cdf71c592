package io.millrace.pipeline;

import io.millrace.config.TransformPlace;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.option.Services;
import io.millrace.train.input.DeviceTransforms;
import io.millrace.train.input.DeviceTransforms.Changes;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Roles;
import io.millrace.transform.TransformFactory;
import io.millrace.transform.TransformSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * An entry of a list of transforms, and the places where it can run.
 *
 * <p>Tested by {@code TransformPlacementTest}.
 *
 * @param list the key of the list
 * @param number the index in the list, from 0
 * @param options the options without {@code place}
 * @param placeInFile the option {@code place}; empty when the file has none
 * @param standard the default place, which applies when the file has no option {@code place}
 * @param changes the part of a batch that the transform changes on the device; empty when it cannot run there
 */
record PlaceableTransform(
        String list,
        int number,
        String name,
        OptionValues options,
        Optional<TransformPlace> placeInFile,
        TransformPlace standard,
        Optional<Changes> changes) {
    private static final String FIELD = "field";

    /** Returns an entry of a list of transforms of samples. */
    static PlaceableTransform ofSamples(String list, int number, TransformSpec spec) {
        return of(
                list,
                number,
                spec.name(),
                spec.options(),
                TransformPlace.SERVER,
                DeviceTransforms.changes(spec.factory()));
    }

    /** Returns an entry of {@code device.transforms}. */
    static PlaceableTransform ofBatches(String list, int number, Component component) {
        return of(
                list,
                number,
                component.name(),
                component.options(),
                TransformPlace.DEVICE,
                DeviceTransforms.changes(component.name()));
    }

    private static PlaceableTransform of(
            String list,
            int number,
            String name,
            OptionValues options,
            TransformPlace standard,
            Optional<Changes> changes) {
        return new PlaceableTransform(
                list,
                number,
                name,
                options.without(TransformPlace.OPTION),
                options.find(TransformPlace.OPTION),
                standard,
                changes);
    }

    private static boolean ofSamples(Changes changes) {
        return changes != Changes.CLASSES && changes != Changes.BATCHES;
    }

    /** Returns the path of the entry in the pipeline file. */
    String describe() {
        return list + "." + number + "." + name;
    }

    /** Returns the place that the file sets, or the default of the list. */
    TransformPlace requestedPlace() {
        return placeInFile.orElse(standard);
    }

    /** Returns whether the transform changes samples, one by one or a batch at a time. */
    boolean ofSamples() {
        return changes.map(PlaceableTransform::ofSamples).orElse(true);
    }

    boolean changesImages() {
        return changes.filter(c -> c == Changes.PICTURES || c == Changes.PICTURES_AT_RANDOM)
                .isPresent();
    }

    /** Returns whether the transform mixes the rows of whole batches. */
    boolean mixesRows() {
        return changes.equals(Optional.of(Changes.BATCHES));
    }

    /** Returns whether the transform moves pixels to other places. */
    boolean movesPixels() {
        return changesImages() && runsOnServers() && new TransformSpec(name, options).movesPixels();
    }

    boolean makesFloats() {
        return changes.filter(c -> c == Changes.FLOATS).isPresent();
    }

    /** Returns whether the transform applies to batches of training only. */
    boolean trainingOnly() {
        return changes.filter(c -> c == Changes.PICTURES_AT_RANDOM).isPresent();
    }

    /** Returns the field whose values the transform converts to floats. */
    String field(Roles roles) {
        Object named = options.raw().get(FIELD);
        return named != null
                ? named.toString()
                : standard == TransformPlace.SERVER ? "image" : roles.inputs().get(0);
    }

    /**
     * Returns the transform as an entry of {@code transforms}, for a stage that changes samples on the data servers or
     * on the device.
     */
    TransformSpec onServer(Roles roles) {
        if (standard == TransformPlace.SERVER || !makesFloats()) {
            return new TransformSpec(name, options);
        }
        Map<String, Object> raw = new TreeMap<>(options.raw());
        raw.put(FIELD, field(roles));
        return TransformSpec.of(name, raw);
    }

    /** Returns the transform as an entry of {@code device.transforms}. */
    Component onDevice() {
        return new Component(name, options);
    }

    /** Returns a transform of samples as an entry of {@code device.transforms}, with its options on the device. */
    static Component onDevice(TransformSpec spec) {
        List<Option<?>> declared = new Component(spec.name(), spec.options())
                .in(DeviceTransforms.all(), "device transform")
                .options();
        Map<String, Object> raw = new TreeMap<>(spec.options().raw());
        if (Option.keys(declared).contains(FIELD)) {
            raw.putIfAbsent(FIELD, "image"); // the servers' default; the device's is the first input
        }
        return new Component(spec.name(), OptionValues.of(declared, raw));
    }

    /** Returns whether the transform can run on the data servers. */
    boolean runsOnServers() {
        return ofSamples()
                && Services.of(TransformFactory.class).stream()
                        .anyMatch(known -> known.get().name().equals(name));
    }
}
