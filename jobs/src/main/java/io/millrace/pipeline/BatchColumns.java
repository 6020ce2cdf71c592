package io.millrace.pipeline;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.config.PipelineConfig;
import io.millrace.config.SentField;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.train.Roles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Decides which fields are sent and how, by a sample as it comes out of its transforms. Pure. */
final class BatchColumns {
    private final String dataset;
    private final Sample sample;
    private final Roles roles;

    private BatchColumns(String dataset, Sample sample, Roles roles) {
        this.dataset = dataset;
        this.sample = sample;
        this.roles = roles;
    }

    /**
     * The columns: those that {@code batch.fields} names, or else those that training uses.
     *
     * @param dataset what its user calls it
     * @throws PipelineException when the sample lacks one of them, or one cannot be sent as it is asked
     */
    static BatchSpec of(PipelineConfig config, String dataset, Sample sample) throws PipelineException {
        Roles roles = config.train().roles();
        BatchColumns columns = new BatchColumns(dataset, sample, roles);
        List<SentField> named = config.batch().fields();
        return new BatchSpec(columns.columns(named.isEmpty() ? columns.used() : columns.checked(named)));
    }

    private List<SentField> used() {
        List<SentField> used = new ArrayList<>();
        for (String input : roles.inputs()) {
            if (!input.equals(Roles.LABEL) || sample.fieldNames().contains(input)) {
                used.add(new SentField(input, Optional.empty()));
            }
        }
        String target = roles.target();
        boolean label = target.equals(Roles.LABEL) && !sample.fieldNames().contains(target);
        if (!label && !roles.inputs().contains(target)) {
            used.add(new SentField(target, Optional.empty()));
        }
        return used;
    }

    /** What is named has to include what training uses. */
    private List<SentField> checked(List<SentField> named) throws PipelineException {
        for (SentField used : used()) {
            if (named.stream().noneMatch(field -> field.name().equals(used.name()))) {
                throw new PipelineException(key(used.name()) + " is '" + used.name()
                        + "', which batch.fields does not send: expected it among "
                        + named.stream().map(SentField::name).toList());
            }
        }
        return named;
    }

    private String key(String field) {
        return roles.inputs().contains(field)
                ? "train.input"
                : roles.target().equals(field) ? "train.target" : "batch.fields";
    }

    private List<BatchSpec.Column> columns(List<SentField> fields) throws PipelineException {
        List<BatchSpec.Column> columns = new ArrayList<>();
        for (SentField field : fields) {
            columns.add(column(field));
        }
        return columns;
    }

    private BatchSpec.Column column(SentField sent) throws PipelineException {
        String name = sent.name();
        if (!sample.fieldNames().contains(name)) {
            throw new PipelineException(key(name) + " names '" + name + "', but samples of " + dataset
                    + " come out of their transforms with the fields " + sample.fieldNames() + " alone");
        }
        Field field = sample.field(name);
        if (field.dtype() == DType.ENCODED) {
            throw new PipelineException("samples of " + dataset + " come out of their transforms still encoded"
                    + " (field '" + name + "'): their transforms need a 'decode'");
        }
        Form form = sent.form().orElseGet(() -> suited(field));
        List<Integer> shape = Arrays.stream(field.shape()).boxed().toList();
        if (form == Form.RAGGED) {
            if (shape.isEmpty()) {
                throw new PipelineException(
                        "batch.fields sends '" + name + "' ragged, but it is one number, " + field + ", in " + dataset);
            }
            shape = shape.subList(1, shape.size());
        }
        try {
            return new BatchSpec.Column(name, field.dtype(), shape, field.kind(), form);
        } catch (IllegalArgumentException e) {
            throw new PipelineException(dataset + ": " + e.getMessage(), e);
        }
    }

    private static Form suited(Field field) {
        if (field.kind() == FieldKind.RAGGED) {
            return Form.RAGGED;
        }
        return field.dtype() == DType.BOOL ? Form.BITS : Form.DENSE;
    }
}
