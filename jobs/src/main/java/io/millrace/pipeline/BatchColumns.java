package io.millrace.pipeline;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.config.PipelineConfig;
import io.millrace.config.WireField;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.train.spec.NextTokens;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.TrainSpecException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The decision which fields cross the network, and in which form. It is based on one transformed sample. Pure.
 *
 * <p>Tested by {@code WireTypesTest}.
 */
final class BatchColumns {
    private final String dataset;
    private final Sample sample;
    private final Roles roles;
    private final WireTypes types;

    private BatchColumns(String dataset, Sample sample, Roles roles, WireTypes types) {
        this.dataset = dataset;
        this.sample = sample;
        this.roles = roles;
        this.types = types;
    }

    /**
     * Returns the columns of the fields that {@code batch.fields} names, or of the fields that training uses when
     * {@code batch.fields} is absent.
     *
     * @param dataset the path of the dataset, for messages
     * @param classes the number of classes of the training set's labels
     * @throws PipelineException when the sample lacks a field, or a field cannot have the requested form
     */
    static List<WireColumn> of(PipelineConfig config, String dataset, Sample sample, int classes)
            throws PipelineException {
        Roles roles = config.train().roles();
        BatchColumns columns = new BatchColumns(dataset, sample, roles, new WireTypes(config, classes));
        List<WireField> named = config.batch().fields();
        List<WireField> fields =
                named.isEmpty() ? columns.used() : named.equals(WireField.ALL) ? columns.all() : columns.checked(named);
        requireSent("batch.wire", config.batch().wire().keySet(), fields);
        requireSent("batch.forms", config.batch().forms().keySet(), fields);
        return columns.columns(inForms(fields, config.batch().forms()));
    }

    private static void requireSent(String key, Set<String> names, List<WireField> fields) throws PipelineException {
        List<String> sent = fields.stream().map(WireField::name).toList();
        for (String named : names) {
            if (!sent.contains(named)) {
                throw new PipelineException(key + " names '" + named + "', which is not sent: expected some of " + sent
                        + ", or a field that batch.fields names too");
            }
        }
    }

    /** Returns the fields in the forms of the key {@code batch.forms}. */
    private static List<WireField> inForms(List<WireField> fields, Map<String, Form> forms) throws PipelineException {
        List<WireField> formed = new ArrayList<>();
        for (WireField field : fields) {
            Form form = forms.get(field.name());
            if (form != null && field.form().isPresent() && field.form().get() != form) {
                throw new PipelineException("batch.fields sends '" + field.name() + "' as " + field.written()
                        + ", and batch.forms as " + form.name().toLowerCase(Locale.ROOT)
                        + ": expected one form");
            }
            formed.add(form == null ? field : new WireField(field.name(), Optional.of(form)));
        }
        return formed;
    }

    private List<WireField> used() {
        List<WireField> used = new ArrayList<>();
        for (String input : roles.inputs()) {
            if (!input.equals(Roles.LABEL) || sample.fieldNames().contains(input)) {
                used.add(WireField.auto(input));
            }
        }
        String target = roles.target();
        if (NextTokens.isComputed(target, sample.fieldNames())) {
            NextTokens.sources(sample.fieldNames()).stream()
                    .filter(source -> !roles.inputs().contains(source))
                    .forEach(source -> used.add(WireField.auto(source)));
            return used;
        }
        boolean label = target.equals(Roles.LABEL) && !sample.fieldNames().contains(target);
        if (!label && !roles.inputs().contains(target)) {
            used.add(WireField.auto(target));
        }
        return used;
    }

    /** Returns all fields but encoded images, whose length differs from sample to sample. */
    private List<WireField> all() throws PipelineException {
        List<WireField> all = sample.fieldNames().stream()
                .filter(name -> sample.field(name).dtype() != DType.ENCODED)
                .map(WireField::auto)
                .toList();
        return all.isEmpty()
                ? List.of(WireField.auto(sample.fieldNames().iterator().next()))
                : all;
    }

    /** Checks that the named fields include those that training uses. */
    private List<WireField> checked(List<WireField> named) throws PipelineException {
        for (WireField used : used()) {
            if (named.stream().noneMatch(field -> field.name().equals(used.name()))) {
                throw new PipelineException(key(used.name()) + " is '" + used.name()
                        + "', which batch.fields does not send: expected it among "
                        + named.stream().map(WireField::name).toList());
            }
        }
        return named;
    }

    private String key(String field) {
        return roles.inputs().contains(field)
                ? "train.input"
                : roles.target().equals(field) ? "train.target" : "batch.fields";
    }

    private List<WireColumn> columns(List<WireField> fields) throws PipelineException {
        List<WireColumn> columns = new ArrayList<>();
        for (WireField field : fields) {
            columns.add(column(field));
        }
        return columns;
    }

    private WireColumn column(WireField wire) throws PipelineException {
        String name = wire.name();
        if (!sample.fieldNames().contains(name)) {
            throw new PipelineException(key(name) + " names '" + name + "', but samples of " + dataset
                    + " have only the fields " + sample.fieldNames() + " after their transforms");
        }
        Field field = sample.field(name);
        if (field.dtype() == DType.ENCODED) {
            throw new PipelineException("samples of " + dataset + " are still encoded after their transforms"
                    + " (field '" + name + "'): their transforms need a 'decode'");
        }
        List<Integer> shape = Arrays.stream(field.shape()).boxed().toList();
        WireTypes.Chosen chosen = chosen(wire, field);
        if (chosen.form() == Form.RAGGED) {
            if (shape.isEmpty()) {
                throw new PipelineException(
                        "'" + name + "' cannot be sent ragged, because it is one number, " + field + ", in " + dataset);
            }
            shape = shape.subList(1, shape.size());
        }
        try {
            BatchSpec.Column column =
                    new BatchSpec.Column(name, chosen.dtype(), shape, field.kind(), chosen.form(), field.dtype());
            return new WireColumn(column, chosen.use().type(), chosen.reason());
        } catch (IllegalArgumentException e) {
            throw new PipelineException(dataset + ": " + e.getMessage(), e);
        }
    }

    private WireTypes.Chosen chosen(WireField wire, Field field) throws PipelineException {
        try {
            return types.choose(wire.name(), field, wire.form());
        } catch (TrainSpecException e) { // a device transform that cannot run on this field
            throw new PipelineException(String.valueOf(e.getMessage()), e);
        }
    }
}
