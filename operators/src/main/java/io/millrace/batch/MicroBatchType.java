package io.millrace.batch;

import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.jspecify.annotations.Nullable;

/** Flink's type information for micro-batches with given columns. */
public final class MicroBatchType extends TypeInformation<MicroBatch> {
    private static final long serialVersionUID = 1;

    private final BatchSpec spec;

    public MicroBatchType(BatchSpec spec) {
        this.spec = spec;
    }

    @Override
    public TypeSerializer<MicroBatch> createSerializer(SerializerConfig config) {
        return new MicroBatchSerializer(spec);
    }

    @Override
    public boolean isBasicType() {
        return false;
    }

    @Override
    public boolean isTupleType() {
        return false;
    }

    @Override
    public int getArity() {
        return 1;
    }

    @Override
    public int getTotalFields() {
        return 1;
    }

    @Override
    public Class<MicroBatch> getTypeClass() {
        return MicroBatch.class;
    }

    @Override
    public boolean isKeyType() {
        return false;
    }

    @Override
    public String toString() {
        return "MicroBatch" + spec.columns();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof MicroBatchType type && type.spec.equals(spec);
    }

    @Override
    public int hashCode() {
        return spec.hashCode();
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof MicroBatchType;
    }
}
