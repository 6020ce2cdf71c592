package io.millrace.config;

import io.millrace.dataset.DatasetFormat;
import io.millrace.generate.Generators;
import io.millrace.option.Choice;
import io.millrace.option.OtherName;
import io.millrace.option.Services;
import io.millrace.train.input.DeviceTransforms;
import io.millrace.train.loss.Losses;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Component;
import io.millrace.train.update.Optimizers;
import io.millrace.train.update.Schedules;
import io.millrace.transform.TransformFactory;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/** All components that a pipeline file can name. Each list is sorted by name or in the order of its catalog. */
public record Catalogs(
        List<CatalogEntry> formats,
        List<CatalogEntry> generators,
        List<CatalogEntry> transforms,
        List<CatalogEntry> deviceTransforms,
        List<CatalogEntry> models,
        List<CatalogEntry> losses,
        List<CatalogEntry> optimizers,
        List<CatalogEntry> schedules) {
    public Catalogs {
        formats = List.copyOf(formats);
        generators = List.copyOf(generators);
        transforms = List.copyOf(transforms);
        deviceTransforms = List.copyOf(deviceTransforms);
        models = List.copyOf(models);
        losses = List.copyOf(losses);
        optimizers = List.copyOf(optimizers);
        schedules = List.copyOf(schedules);
    }

    /** Returns the catalogs of the class path. */
    public static Catalogs installed() {
        List<CatalogEntry> transforms =
                services(TransformFactory.class, factory -> true, factory -> CatalogEntry.of(factory, factory::check));
        return new Catalogs(
                services(DatasetFormat.class, DatasetFormat::offered, CatalogEntry::of),
                Generators.names().stream()
                        .map(Generators::named)
                        .map(g -> new CatalogEntry(g.name(), g.help(), g.options(), g::request))
                        .toList(),
                transforms,
                DeviceTransforms.all().stream()
                        .map(t -> new CatalogEntry(
                                t.name(),
                                t.help(),
                                t.options(),
                                values -> DeviceTransforms.check(new Component(t.name(), values)),
                                otherNames(t.name(), transforms)))
                        .toList(),
                entries(Models.all()),
                Losses.factories().stream()
                        .map(loss -> CatalogEntry.of(loss, loss::create))
                        .toList(),
                Optimizers.factories().stream()
                        .map(optimizer -> CatalogEntry.of(optimizer, optimizer::create))
                        .toList(),
                entries(Schedules.all()));
    }

    /** Returns the other names of a transform of the data servers, which has them on the device, too. */
    private static List<OtherName> otherNames(String name, List<CatalogEntry> transforms) {
        return transforms.stream()
                .filter(transform -> transform.name().equals(name))
                .flatMap(transform -> transform.otherNames().stream())
                .toList();
    }

    private static List<CatalogEntry> entries(List<Choice> choices) {
        return choices.stream().map(CatalogEntry::of).toList();
    }

    private static <S> List<CatalogEntry> services(
            Class<S> service, Predicate<S> offered, Function<S, CatalogEntry> choice) {
        return Services.of(service).stream()
                .map(provider -> provider.get())
                .filter(offered)
                .map(choice)
                .sorted(Comparator.comparing(CatalogEntry::name, String.CASE_INSENSITIVE_ORDER))
                .toList();
    }
}
