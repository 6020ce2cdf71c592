package io.millrace.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.exchange.Joined.TransportKind;
import io.millrace.exchange.Replicas.Over;
import io.millrace.exchange.Replicas.Wait;
import io.millrace.exchange.Replicas.Work;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Future;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReplicasTest {
    /** Sizes of blocks: parameters of several shapes, empty blocks, and more than one chunk. */
    @Property(tries = 60)
    void everyTransportGivesTheBitsOfTheSimpleSum(
            @ForAll TransportKind way,
            @ForAll @IntRange(min = 2, max = 5) int ranks,
            @ForAll @Size(min = 1, max = 4) List<@IntRange(max = 40_000) Integer> sizes,
            @ForAll long seed)
            throws Exception {
        List<List<ByteBuffer>> blocks = new ArrayList<>();
        List<float[]> given = new ArrayList<>();
        int[] rows = new Random(seed).ints(ranks, 0, 4).toArray();
        rows[ranks - 1]++;
        for (int rank = 0; rank < ranks; rank++) {
            blocks.add(random(sizes, new Random(seed + rank), rows[rank] == 0));
            given.add(floats(blocks.get(rank)));
        }
        float[] expected = expected(given, rows);

        try (Joined joined = new Joined(way, ranks)) {
            for (int step = 0; step < 2; step++) {
                int batch = step;
                joined.all((replicas, rank) -> {
                    fill(blocks.get(rank), given.get(rank));
                    assertThat(replicas.ready(batch, rows[rank])).isEqualTo(new Work());
                    replicas.average(blocks.get(rank));
                    return replicas.rows();
                });
                for (List<ByteBuffer> result : blocks) {
                    assertThat(bits(floats(result))).isEqualTo(bits(expected));
                }
            }
            List<Long> all = joined.all((replicas, rank) -> {
                fill(blocks.get(rank), given.get(rank));
                return replicas.average(blocks.get(rank), rows[rank], rows[rank]);
            });
            assertThat(all).containsOnly((long) Arrays.stream(rows).sum());
            for (List<ByteBuffer> result : blocks) {
                assertThat(bits(floats(result))).as("of several steps").isEqualTo(bits(expected));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void updateWithoutRowsIsDetectedByAllRanksAndUpdateOfIgnoredRowsUsesTheirMean(TransportKind way) throws Exception {
        List<List<ByteBuffer>> blocks =
                List.of(random(List.of(5), new Random(1), false), random(List.of(5), new Random(2), false));
        float[] first = floats(blocks.get(0));
        float[] second = floats(blocks.get(1));
        try (Joined joined = new Joined(way, 2)) {
            assertThat(joined.all((replicas, rank) -> replicas.average(blocks.get(rank), 0, 0)))
                    .containsOnly(0L);
            assertThat(floats(blocks.get(0))).isEqualTo(first);
            assertThat(joined.all((replicas, rank) -> replicas.average(blocks.get(rank), 3, 0)))
                    .containsOnly(6L);
            assertThat(floats(blocks.get(0))).isEqualTo(floats(blocks.get(1)));
            assertThat(floats(blocks.get(1))[4]).isCloseTo((first[4] + second[4]) / 2, within(1e-6f));
            assertThat(joined.all((replicas, rank) -> replicas.average(blocks.get(rank), 3, 2 * rank)))
                    .containsOnly(6L);
        }
    }

    /** Computes the definition of the sum for each float. */
    private static float[] expected(List<float[]> given, int[] rows) {
        int ranks = rows.length;
        int size = given.get(0).length;
        long all = 0;
        for (int r : rows) {
            all += r;
        }
        float[] sums = new float[size];
        for (int segment = 0; segment < ranks; segment++) {
            for (int i = (int) ((long) size * segment / ranks); i < (long) size * (segment + 1) / ranks; i++) {
                for (int nth = 0; nth < ranks; nth++) {
                    int rank = (segment + nth) % ranks;
                    if (rows[rank] > 0) {
                        float part = (float) ((double) rows[rank] / all) * given.get(rank)[i];
                        sums[i] = sums[i] + part;
                    }
                }
            }
        }
        return sums;
    }

    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void noRankWorksOnABatchThatIsIncompleteOnARankAtItsBarrier(TransportKind way) throws Exception {
        try (Joined joined = new Joined(way, 3)) {
            assertThat(joined.all((replicas, rank) -> rank == 1 ? replicas.atBarrier(7, 4) : replicas.ready(7, 8)))
                    .containsOnly(new Wait(4));
            assertThat(joined.all((replicas, rank) -> replicas.ready(7, rank))).containsOnly(new Work());
            assertThat(joined.rank(0).rows()).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void rankThatLeavesInGoodOrderEndsTheWaitOfTheOthers(TransportKind way) throws Exception {
        try (Joined joined = new Joined(way, 2)) {
            joined.all((replicas, rank) -> replicas.ready(0, 1));
            Future<Replicas.Turn> waiting = joined.begin(0, (replicas, rank) -> replicas.ready(1, 1));
            joined.rank(1).close();

            assertThat(Joined.result(waiting)).isEqualTo(new Over());
        }
    }

    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void rankThatLeavesWhileTheOthersSumEndsTheirSumWithAnError(TransportKind way) throws Exception {
        try (Joined joined = new Joined(way, 2)) {
            List<ByteBuffer> blocks = random(List.of(1 << 20), new Random(1), false);
            joined.all((replicas, rank) -> replicas.ready(0, 1));
            Future<Long> summing = joined.begin(0, (replicas, rank) -> {
                replicas.average(blocks);
                return replicas.rows();
            });
            joined.rank(1).close();

            assertThatThrownBy(() -> Joined.result(summing)).isInstanceOf(ExchangeException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void ranksAtDifferentBatchesAreAnError(TransportKind way) throws Exception {
        try (Joined joined = new Joined(way, 2)) {
            assertThatThrownBy(() -> joined.all((replicas, rank) -> replicas.ready(5 + rank, 1)))
                    .isInstanceOf(ExchangeException.class)
                    .hasMessageContaining("is at batch 5 and rank 1 at 6");
        }
    }

    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void valuesOfAllRanksReachEachRank(TransportKind way) throws Exception {
        try (Joined joined = new Joined(way, 4)) {
            List<List<long[]>> gathered = joined.all((replicas, rank) -> replicas.gather(rank, rank * 10L));

            assertThat(gathered).allSatisfy(values -> assertThat(values)
                    .containsExactly(new long[] {0, 0}, new long[] {1, 10}, new long[] {2, 20}, new long[] {3, 30}));
        }
    }

    /** A rank without rows has weight 0, whatever its floats are. */
    private static List<ByteBuffer> random(List<Integer> sizes, Random random, boolean undefined) {
        List<ByteBuffer> blocks = new ArrayList<>();
        for (int size : sizes) {
            ByteBuffer block = ByteBuffer.allocateDirect(size * Float.BYTES).order(ByteOrder.nativeOrder());
            for (int i = 0; i < size; i++) {
                float value = (float) Math.scalb(random.nextGaussian(), random.nextInt(12) - 6);
                block.putFloat(i * Float.BYTES, undefined ? Float.NaN : value);
            }
            blocks.add(block);
        }
        return blocks;
    }

    private static float[] floats(List<ByteBuffer> blocks) {
        FloatBlocks floats = new FloatBlocks(blocks);
        float[] values = new float[(int) floats.size()];
        for (int at = 0; at < values.length; at++) {
            float[] one = new float[1];
            floats.read(at, one, 1);
            values[at] = one[0];
        }
        return values;
    }

    private static void fill(List<ByteBuffer> blocks, float[] values) {
        new FloatBlocks(blocks).write(0, values, values.length);
    }

    private static int[] bits(float[] values) {
        int[] bits = new int[values.length];
        for (int i = 0; i < bits.length; i++) {
            bits[i] = Float.floatToRawIntBits(values[i]);
        }
        return bits;
    }
}
