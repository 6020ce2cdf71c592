package io.millrace.sample;

import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** Flink's type information for {@link Sample}: an opaque type that is never a key and has its own serializer. */
public final class SampleType extends TypeInformation<Sample> {
    private static final long serialVersionUID = 1;

    /** The only instance; the type has no state. */
    public static final SampleType INSTANCE = new SampleType();

    private SampleType() {}

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
    public Class<Sample> getTypeClass() {
        return Sample.class;
    }

    @Override
    public boolean isKeyType() {
        return false;
    }

    @Override
    public TypeSerializer<Sample> createSerializer(SerializerConfig config) {
        return SampleSerializer.INSTANCE;
    }

    @Override
    public String toString() {
        return "Sample";
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SampleType;
    }

    @Override
    public int hashCode() {
        return SampleType.class.hashCode();
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof SampleType;
    }
}
