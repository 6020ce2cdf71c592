package io.millrace.serve;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * The ranks whose clients have been served, and have neither sent BYE nor heard that the job has failed. A client that
 * trains at the time of a failure hears of it only when it connects again. Any thread may call the methods.
 */
final class UnawareRanks {
    private final Set<Integer> ranks = new HashSet<>();

    /** Records that a client of the rank has been served or sent to its sink. */
    synchronized void served(int rank) {
        ranks.add(rank);
    }

    /** Records that the client of the rank knows that no more batches come. */
    synchronized void heard(int rank) {
        ranks.remove(rank);
        notifyAll();
    }

    /** Waits until there are no such ranks. Returns false when this takes longer. */
    synchronized boolean awaitNone(Duration most) throws InterruptedException {
        long deadline = System.nanoTime() + most.toNanos();
        while (!ranks.isEmpty()) {
            long leftMillis = (deadline - System.nanoTime()) / 1_000_000;
            if (leftMillis <= 0) {
                return false;
            }
            wait(leftMillis);
        }
        return true;
    }
}
