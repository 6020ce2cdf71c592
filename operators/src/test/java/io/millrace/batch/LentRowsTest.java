package io.millrace.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.image.ImageVectors;
import io.millrace.order.BatchPlan;
import io.millrace.order.RankRows;
import io.millrace.order.Tail;
import io.millrace.sample.BadSample;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.transform.FollowingTransform;
import io.millrace.transform.Neighbors;
import io.millrace.transform.PlacedTransform;
import io.millrace.transform.StageChain;
import io.millrace.transform.TransformContext;
import io.millrace.transform.TransformSpec;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that pictures that the resize writes to their rows are those that pack copies. */
class LentRowsTest {
    private static final int EDGE = 24;
    private static final int SAMPLES = 30;
    private static final int ROWS = 4;
    private static final String OTHER = "other";
    private static final BatchSpec SPEC = spec(image(Sample.IMAGE, DType.UINT8));
    private static final PackLimits LIMITS = new PackLimits(PackLimits.DEFAULT_BYTES, ROWS, Duration.ofDays(1));

    private static final TransformSpec DECODE = TransformSpec.of("decode", Map.of());
    private static final TransformSpec CROP = TransformSpec.of("RandomResizedCrop", Map.of("size", (long) EDGE));
    private static final TransformSpec FLIP = TransformSpec.of("RandomHorizontalFlip", Map.of());
    private static final TransformSpec OTHER_FLIP = TransformSpec.of("RandomVerticalFlip", Map.of());

    /** The files of the samples in turn. PNGs are resized into an array of the heap. */
    private static final List<String> FILES =
            List.of("rgb420.jpg", "gray.jpg", "rgb.png", "rgb422.jpg", "restarts.jpg");

    @AfterEach
    void noMemoryIsLeaked() {
        assertThat(MicroBatchMemory.allocatedBytes()).isZero();
    }

    /** The transforms of a chain. The stage of a flip does nothing when the stage before has done its work. */
    private static final class Chain {
        private final List<PlacedTransform> transforms = new ArrayList<>();
        private final boolean mirrored;
        private boolean inPlace;

        Chain(boolean ahead, StageChain task, List<TransformSpec> specs) {
            mirrored = ahead;
            FollowingTransform following = null;
            for (int i = specs.size() - 1; i >= 0; i--) {
                TransformSpec spec = specs.get(i);
                TransformContext context = new TransformContext(0, 11, new Neighbors(null, following), task);
                transforms.add(0, new PlacedTransform(spec.name(), spec, "photos", 11, i, context));
                following = ahead ? new FollowingTransform(spec, i, true, following) : null;
            }
        }

        Sample apply(Sample sample) {
            for (PlacedTransform transform : transforms) {
                boolean done = mirrored && transform.stage().equals(FLIP.name());
                if (!done && !transform.apply(sample)) {
                    return sample;
                }
            }
            for (String name : sample.fieldNames()) {
                inPlace |= sample.field(name).stored() != null;
            }
            return sample;
        }
    }

    /** The operator after a packer that hands its memory over. It copies each micro-batch, and gives the memory back at once. */
    private static final class Receiver extends PackOperatorTest.NetworkEdge {
        private static final long serialVersionUID = 1;

        Receiver(BatchSpec spec) {
            super(spec);
        }

        @Override
        public MicroBatch copy(MicroBatch from) {
            try (from) {
                return super.copy(from);
            }
        }
    }

    /** A row that was received: its bytes, or the reason of the quarantine. */
    private record Received(List<String> columns, @Nullable BadSample badSample) {}

    /** What a chain has made: the received rows by position, and whether a picture was written to its row. */
    private record Outcome(Map<Long, Received> rows, boolean inPlace) {}

    /** Applies transforms to samples of which every sixth is damaged, packs them with a barrier between, and receives them. */
    @SuppressWarnings("try") // the harness declares that closing it may be interrupted
    private static Outcome run(
            PackOperator<Sample> operator, Handing handing, BatchSpec spec, boolean ahead, TransformSpec... transforms)
            throws Exception {
        try (OneInputStreamOperatorTestHarness<Sample, MicroBatch> harness =
                new OneInputStreamOperatorTestHarness<>(operator.handing(handing))) {
            harness.setup(handing == Handing.OVER ? new Receiver(spec) : new PackOperatorTest.NetworkEdge(spec));
            harness.open();
            StageChain task = StageChain.of(harness.getEnvironment());
            Chain chain = new Chain(ahead, task, List.of(transforms));
            Map<Long, Received> received = new TreeMap<>();
            for (int position = 0; position < SAMPLES; position++) {
                harness.processElement(new StreamRecord<>(chain.apply(sample(position, spec))));
                if (position % 7 == 5) {
                    harness.prepareSnapshotPreBarrier(position);
                }
                receive(harness, received);
            }
            harness.endInput();
            receive(harness, received);
            assertThat(received).hasSize(SAMPLES);
            return new Outcome(received, chain.inPlace);
        }
    }

    private static Sample sample(int position, BatchSpec spec) {
        Sample sample = new Sample(position, "photos/" + position + ".jpg", 0).placeAt(position, 0, Split.TRAIN);
        byte[] file = ImageVectors.file("decode/" + FILES.get(position % FILES.size()));
        byte[] damaged = Arrays.copyOf(file, file.length / 3);
        for (BatchSpec.Column column : spec.columns()) {
            sample.put(column.name(), Field.encoded(position % 6 == 3 ? damaged : file));
        }
        return sample;
    }

    private static void receive(
            OneInputStreamOperatorTestHarness<Sample, MicroBatch> harness, Map<Long, Received> received) {
        for (MicroBatch batch : harness.extractOutputValues()) {
            try (batch) {
                for (int row = 0; row < batch.rows(); row++) {
                    List<String> columns = new ArrayList<>();
                    for (int i = 0; i < batch.spec().columns().size() && !batch.isQuarantined(row); i++) {
                        byte[] found = new byte[batch.bytes(i, row)];
                        MemoryUtil.copyFromMemory(batch.address(i, row), found, 0, found.length);
                        columns.add(Arrays.toString(found));
                    }
                    received.put(batch.position(row), new Received(columns, batch.badSample(row)));
                }
            }
        }
        harness.getOutput().clear();
    }

    private static PackOperator<Sample> packer(BatchSpec spec) {
        return new PackOperator<>(spec, LIMITS);
    }

    private static BatchSpec spec(BatchSpec.Column... columns) {
        return new BatchSpec(List.of(columns));
    }

    private static BatchSpec.Column image(String name, DType sent) {
        return new BatchSpec.Column(name, sent, List.of(EDGE, EDGE, 3), FieldKind.IMAGE, Form.DENSE, DType.UINT8);
    }

    /** Without a decoder of parts, no kernel writes to rows. */
    static boolean hasJpegKernel() {
        return ImageVectors.kernelsDecodeParts();
    }

    @ParameterizedTest
    @EnumSource(Handing.class)
    void rowsAreTheSameWithAndWithoutLookAhead(Handing handing) throws Exception {
        for (TransformSpec[] transforms : List.of(
                new TransformSpec[] {DECODE, CROP},
                new TransformSpec[] {DECODE, CROP, FLIP},
                new TransformSpec[] {DECODE, CROP, OTHER_FLIP},
                new TransformSpec[] {DECODE, CROP, FLIP, OTHER_FLIP})) {
            Outcome expected = run(packer(SPEC), Handing.LEND, SPEC, false, transforms);
            Outcome found = run(packer(SPEC), handing, SPEC, true, transforms);
            assertThat(found.rows()).isEqualTo(expected.rows());
            assertThat(expected.rows().values())
                    .filteredOn(row -> row.badSample() != null)
                    .hasSize(5);
            boolean unchanged = !transforms[transforms.length - 1].equals(OTHER_FLIP);
            assertThat(expected.inPlace()).isFalse();
            assertThat(found.inPlace()).isEqualTo(unchanged && hasJpegKernel());
        }
    }

    @Test
    void severalImagesOfASampleAreEachInTheirRow() throws Exception {
        BatchSpec two = spec(image(Sample.IMAGE, DType.UINT8), image(OTHER, DType.UINT8));
        Outcome found = run(packer(two), Handing.LEND, two, true, DECODE, CROP, FLIP);
        assertThat(found.rows())
                .isEqualTo(run(packer(two), Handing.LEND, two, false, DECODE, CROP, FLIP)
                        .rows());
        assertThat(found.inPlace()).isEqualTo(hasJpegKernel());
    }

    @Test
    void eachRankHasRowsOfItsOwn() throws Exception {
        RankRows ranks = new RankRows(new BatchPlan(SAMPLES, 4, false, 1, 0, 1), 2, Tail.FIRST_RANKS);
        Outcome found = run(PackOperator.perRank(SPEC, LIMITS, ranks), Handing.LEND, SPEC, true, DECODE, CROP, FLIP);
        assertThat(found.rows())
                .isEqualTo(run(packer(SPEC), Handing.LEND, SPEC, false, DECODE, CROP, FLIP)
                        .rows());
        assertThat(found.inPlace()).isEqualTo(hasJpegKernel());
    }

    @Test
    void convertedColumnsAreNotLent() throws Exception {
        BatchSpec floats = spec(image(Sample.IMAGE, DType.FLOAT32));
        Outcome found = run(packer(floats), Handing.LEND, floats, true, DECODE, CROP);
        assertThat(found.rows())
                .isEqualTo(run(packer(floats), Handing.LEND, floats, false, DECODE, CROP)
                        .rows());
        assertThat(found.inPlace()).isFalse();
    }

    @Test
    void rowsThatAreCopiedOnceAreNotLent() throws Exception {
        Outcome found = run(packer(SPEC).filling(Filling.ONCE), Handing.LEND, SPEC, true, DECODE, CROP);
        assertThat(found.inPlace()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {EDGE - 1, EDGE + 1})
    @SuppressWarnings("try") // the harness declares that closing it may be interrupted
    void imageOfAnotherSizeOrNameIsNotLent(int extent) throws Exception {
        try (OneInputStreamOperatorTestHarness<Sample, MicroBatch> harness =
                new OneInputStreamOperatorTestHarness<>(packer(SPEC))) {
            harness.setup(new PackOperatorTest.NetworkEdge(SPEC));
            harness.open();
            StageChain lender = StageChain.of(harness.getEnvironment());
            Sample sample = sample(0, SPEC);
            assertThat(lender.row(sample, Sample.IMAGE, extent, EDGE)).isNull();
            assertThat(lender.row(sample, Sample.IMAGE, EDGE, extent)).isNull();
            assertThat(lender.row(sample, OTHER, EDGE, EDGE)).isNull();
            assertThat(lender.row(sample, Sample.IMAGE, EDGE, EDGE)).isNotNull();
            harness.close();
            assertThat(lender.row(sample, Sample.IMAGE, EDGE, EDGE))
                    .as("the packer has ended")
                    .isNull();
        }
    }

    @Test
    void imageIsCopiedWhenItGetsAnotherRowThanTheLentOne() {
        BatchSpec spec = spec(
                image(Sample.IMAGE, DType.UINT8),
                new BatchSpec.Column("text", DType.UINT8, List.of(), FieldKind.RAGGED, Form.RAGGED));
        PackLimits limits = new PackLimits(64 * 1024, ROWS, Duration.ofDays(1));
        for (boolean over : List.of(false, true)) {
            try (Packer packer = new Packer(MicroBatchMemory.allocator(), spec, limits)) {
                Sample first = sample(0, SPEC)
                        .put(Sample.IMAGE, Field.image(EDGE, EDGE, 3, new byte[3 * EDGE * EDGE]))
                        .put("text", Field.text(new byte[1]));
                packer.add(first);
                Field lent = Objects.requireNonNull(packer.nextRow(Sample.IMAGE, EDGE, EDGE));
                ByteBuffer pixels = Objects.requireNonNull(lent.stored());
                for (int i = 0; i < pixels.capacity(); i++) {
                    pixels.put(i, (byte) (i % 251));
                }
                Sample long64 = sample(1, SPEC).put(Sample.IMAGE, lent).put("text", Field.text(new byte[63 * 1024]));
                assertThat(packer.fits(long64)).isFalse();
                (over ? packer.handOver() : packer.flush()).close();
                packer.add(long64);
                try (MicroBatch batch = packer.flush()) {
                    byte[] found = new byte[batch.bytes(0, 0)];
                    MemoryUtil.copyFromMemory(batch.address(0, 0), found, 0, found.length);
                    assertThat(found).isEqualTo(lent.data());
                    assertThat(found[250]).isEqualTo((byte) 250);
                }
            }
        }
    }

    @Test
    void rowOfAQuarantinedSampleKeepsNothing() {
        try (Packer packer = new Packer(MicroBatchMemory.allocator(), SPEC, LIMITS)) {
            ByteBuffer pixels = Objects.requireNonNull(Objects.requireNonNull(packer.nextRow(Sample.IMAGE, EDGE, EDGE))
                    .stored());
            pixels.put(0, (byte) 7).put(pixels.capacity() - 1, (byte) 7);
            packer.add(Rows.bad(SPEC, 0));
            try (MicroBatch batch = packer.flush()) {
                byte[] found = new byte[3 * EDGE * EDGE];
                MemoryUtil.copyFromMemory(batch.buffers().address(0, 0), found, 0, found.length);
                assertThat(found).containsOnly(0);
            }
        }
    }

    @Test
    @EnabledIf("hasJpegKernel")
    void tasksWithoutAPackerWriteToArrays() {
        Chain chain = new Chain(true, new StageChain(), List.of(DECODE, CROP, FLIP));
        chain.apply(sample(0, SPEC));
        assertThat(chain.inPlace).isFalse();
    }
}
