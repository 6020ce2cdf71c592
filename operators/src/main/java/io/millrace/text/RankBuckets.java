package io.millrace.text;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The merging of long pretokens, such as 10 MB without a space. The places of pairs are in a bucket for each rank, and a heap has the ranks
 * whose bucket is not empty. A pretoken of n bytes needs 16 n bytes of memory beside the result, and a number of steps that grows with n
 * and with the ranks that occur. One thread uses it at a time.
 *
 * <p>The first place of a rank is merged first, so a bucket is sorted when its first place is taken. It is complete then: until it is
 * empty, only pairs of that rank, and pairs with a token that was made of them, are merged. Such a token is longer than both tokens of the
 * rank's pair, so it makes no further pair of this rank. Places arrive nearly always in order, and then sorting is one look at each.
 *
 * <p>Tested by {@code BytePairPropertiesTest}.
 */
final class RankBuckets {
    private static final int NONE = BytePairMerges.NONE;

    private final BytePairMerges merges;
    /** The places of a rank; allocated for the first long pretoken. */
    private int[] @Nullable [] buckets = new int[0][];

    private int[] sizes = new int[0];
    /** The number of places of a rank that were taken. */
    private int[] taken = new int[0];

    private int[] heap = new int[64];
    private int waiting;

    RankBuckets(BytePairMerges merges) {
        this.merges = merges;
    }

    /**
     * Merges ids in place and returns how many are left.
     *
     * @param ids the ids, at least two
     * @param links the rank of each id with the next one; its content is lost
     */
    int merge(int[] ids, int[] links, int count) {
        fill(links, count);
        int[] next = links;
        int[] before = new int[count];
        for (int i = 0; i < count; i++) {
            next[i] = i + 1;
            before[i] = i - 1;
        }
        while (waiting > 0) {
            int rank = heap[0];
            if (taken[rank] == sizes[rank]) {
                buckets[rank] = null;
                sizes[rank] = 0;
                taken[rank] = 0;
                removeFirst();
                continue;
            }
            int[] bucket = bucket(rank);
            if (taken[rank] == 0) {
                Arrays.sort(bucket, 0, sizes[rank]);
            }
            int merged = merges.merged(rank);
            // A merge may make a pair of a lower rank, which is then the next one.
            while (taken[rank] < sizes[rank] && heap[0] == rank) {
                int at = bucket[taken[rank]++];
                int right = next[at];
                // A place is stale when one of its ids was merged since.
                if (ids[at] < 0 || right >= count || merges.rank(ids[at], ids[right]) != rank) {
                    continue;
                }
                ids[at] = merged;
                ids[right] = -1;
                int after = next[right];
                next[at] = after;
                if (after < count) {
                    before[after] = at;
                    add(merges.rank(merged, ids[after]), at);
                }
                int previous = before[at];
                if (previous >= 0) {
                    add(merges.rank(ids[previous], merged), previous);
                }
            }
        }
        int left = 0;
        for (int i = 0; i < count; i = next[i]) {
            ids[left++] = ids[i];
        }
        return left;
    }

    /** Puts all pairs into buckets of exactly their number. */
    private void fill(int[] ranks, int count) {
        if (buckets.length == 0) {
            buckets = new int[merges.size()][];
            sizes = new int[merges.size()];
            taken = new int[merges.size()];
        }
        for (int i = 0; i < count; i++) {
            if (ranks[i] != NONE) {
                sizes[ranks[i]]++;
            }
        }
        for (int i = 0; i < count; i++) {
            int rank = ranks[i];
            if (rank != NONE) {
                int[] bucket = buckets[rank];
                if (bucket == null) {
                    bucket = new int[sizes[rank]];
                    buckets[rank] = bucket;
                    sizes[rank] = 0;
                    insert(rank);
                }
                bucket[sizes[rank]++] = i;
            }
        }
    }

    private int[] bucket(int rank) {
        int[] bucket = buckets[rank];
        if (bucket == null) {
            throw new IllegalStateException("rank " + rank + " has no bucket");
        }
        return bucket;
    }

    private void add(int rank, int at) {
        if (rank == NONE) {
            return;
        }
        int[] bucket = buckets[rank];
        if (bucket == null) {
            bucket = new int[4];
            buckets[rank] = bucket;
            insert(rank);
        } else if (sizes[rank] == bucket.length) {
            bucket = Arrays.copyOf(bucket, bucket.length + bucket.length / 2);
            buckets[rank] = bucket;
        }
        bucket[sizes[rank]++] = at;
    }

    private void insert(int rank) {
        if (waiting == heap.length) {
            heap = Arrays.copyOf(heap, 2 * waiting);
        }
        int place = waiting++;
        while (place > 0 && heap[(place - 1) / 2] > rank) {
            heap[place] = heap[(place - 1) / 2];
            place = (place - 1) / 2;
        }
        heap[place] = rank;
    }

    private void removeFirst() {
        int rank = heap[--waiting];
        int place = 0;
        for (int child = 1; child < waiting; child = 2 * place + 1) {
            if (child + 1 < waiting && heap[child + 1] < heap[child]) {
                child++;
            }
            if (heap[child] >= rank) {
                break;
            }
            heap[place] = heap[child];
            place = child;
        }
        heap[place] = rank;
    }
}
