package io.millrace.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class LengthSortTest {
    @Property(tries = 200)
    void documentsAreSortedAsByAStableSort(
            @ForAll long seed,
            @ForAll @IntRange(min = 0, max = 300) int count,
            @ForAll @IntRange(min = 1, max = PackRule.MOST_LENGTH) int longest) {
        Random random = new Random(seed);
        int[] lengths = random.ints(2L * count, 0, 1 + random.nextInt(longest)).toArray();
        int[] documents = IntStream.range(0, count).map(i -> 2 * i).toArray();
        Integer[] expected = Arrays.stream(documents)
                .boxed()
                .sorted(Comparator.comparing(document -> -lengths[document]))
                .toArray(Integer[]::new);
        LengthSort sort = new LengthSort();
        for (int round = 0; round < 2; round++) {
            int[] sorted = sort.longestFirst(documents.clone(), count, lengths, longest);
            assertThat(Arrays.copyOf(sorted, count)).containsExactly(expected);
        }
    }
}
