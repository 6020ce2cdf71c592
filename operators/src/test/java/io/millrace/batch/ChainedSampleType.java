package io.millrace.batch;

import io.millrace.sample.Sample;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/** The type of samples that only go from one chained operator to the next. */
final class ChainedSampleType extends TypeInformation<Sample> {
    private static final long serialVersionUID = 1;

    @Override
    public TypeSerializer<Sample> createSerializer(SerializerConfig config) {
        return new ChainedSerializer();
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
    public Class<Sample> getTypeClass() {
        return Sample.class;
    }

    @Override
    public boolean isKeyType() {
        return false;
    }

    @Override
    public String toString() {
        return "ChainedSample";
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ChainedSampleType;
    }

    @Override
    public int hashCode() {
        return 1;
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof ChainedSampleType;
    }

    static final class ChainedSerializer extends TypeSerializerSingleton<Sample> {

        private static final long serialVersionUID = 1;

        /** For Flink. */
        public static final class Snapshot extends SimpleTypeSerializerSnapshot<Sample> {
            /** For Flink. */
            public Snapshot() {
                super(ChainedSerializer::new);
            }
        }

        @Override
        public boolean isImmutableType() {
            return true;
        }

        @Override
        public Sample createInstance() {
            return new Sample(0, "", 0);
        }

        @Override
        public Sample copy(Sample from) {
            return from;
        }

        @Override
        public Sample copy(Sample from, Sample reuse) {
            return from;
        }

        @Override
        public int getLength() {
            return -1;
        }

        @Override
        public void serialize(Sample sample, DataOutputView target) {
            throw new UnsupportedOperationException("the test's samples stay in one chain");
        }

        @Override
        public Sample deserialize(DataInputView source) {
            throw new UnsupportedOperationException("the test's samples stay in one chain");
        }

        @Override
        public Sample deserialize(Sample reuse, DataInputView source) {
            return deserialize(source);
        }

        @Override
        public void copy(DataInputView source, DataOutputView target) {
            throw new UnsupportedOperationException("the test's samples stay in one chain");
        }

        @Override
        public TypeSerializerSnapshot<Sample> snapshotConfiguration() {
            return new Snapshot();
        }
    }
}
