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
 * One entry of a list of transforms, and where it could be done.
 *
 * @param list the key of its list
 * @param number its place there, from 0
 * @param options without the place
 * @param wish what the file says of the place
 * @param standard where it is if the file says nothing
 * @param changes what it changes on the device, empty where it cannot be there
 */
record PlaceableTransform(
        String list,
        int number,
        String name,
        OptionValues options,
        Optional<TransformPlace> wish,
        TransformPlace standard,
        Optional<Changes> changes) {
    private static final String FIELD = "field";

    /** Of a list of transforms for samples. */
    static PlaceableTransform ofSamples(String list, int number, TransformSpec spec) {
        // RandomChoice is another transform on the device than for samples.
        Optional<Changes> changes = DeviceTransforms.changes(spec.name()).filter(PlaceableTransform::ofSamples);
        return of(list, number, spec.name(), spec.options(), TransformPlace.SERVER, changes);
    }

    /** Of {@code device.transforms}. */
    static PlaceableTransform ofBatches(String list, int number, Component part) {
        return of(
                list,
                number,
                part.name(),
                part.options(),
                TransformPlace.DEVICE,
                DeviceTransforms.changes(part.name()));
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

    /** As the user finds it. */
    String told() {
        return list + "." + number + "." + name;
    }

    TransformPlace asked() {
        return wish.orElse(standard);
    }

    /** Whether it is done to samples, one by one or a batch of them at a time. */
    boolean ofSamples() {
        return changes.map(PlaceableTransform::ofSamples).orElse(true);
    }

    boolean changesPictures() {
        return changes.filter(c -> c == Changes.PICTURES || c == Changes.PICTURES_AT_RANDOM)
                .isPresent();
    }

    boolean makesFloats() {
        return changes.filter(c -> c == Changes.FLOATS).isPresent();
    }

    /** Whether {@code device.transforms} does it to batches of training alone. */
    boolean trainingOnly() {
        return changes.filter(c -> c == Changes.PICTURES_AT_RANDOM).isPresent();
    }

    /** The field that it makes floats of. */
    String field(Roles roles) {
        Object named = options.raw().get(FIELD);
        return named != null
                ? named.toString()
                : standard == TransformPlace.SERVER ? "image" : roles.inputs().get(0);
    }

    /** As a stage of the data servers, or what becomes one on the device. */
    TransformSpec onServer(Roles roles) {
        if (standard == TransformPlace.SERVER || !makesFloats()) {
            return new TransformSpec(name, options);
        }
        Map<String, Object> raw = new TreeMap<>(options.raw());
        raw.put(FIELD, field(roles));
        return TransformSpec.of(name, raw);
    }

    /** As an entry of {@code device.transforms}. */
    Component onDevice() {
        return new Component(name, options);
    }

    /** A stage for samples as the device knows it. */
    static Component onDevice(TransformSpec spec) {
        List<Option<?>> declared = DeviceTransforms.all().stream()
                .filter(choice -> choice.name().equals(spec.name()))
                .findFirst()
                .orElseThrow()
                .options();
        Map<String, Object> raw = new TreeMap<>(spec.options().raw());
        if (Option.keys(declared).contains(FIELD)) {
            raw.putIfAbsent(FIELD, "image"); // the servers' default; the device's is the first input
        }
        return new Component(spec.name(), OptionValues.of(declared, raw));
    }

    /** Whether the data servers have it. */
    boolean knownToServers() {
        return ofSamples()
                && Services.of(TransformFactory.class).stream()
                        .anyMatch(known -> known.get().name().equals(name));
    }
}
