package io.millrace.dataset.tar;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The members that the names of hard links' targets stand for during a scan. Only names that are targets are kept. Belongs to one
 * thread.
 */
final class LinkTargets {
    /**
     * The member that a name stands for at a point of the scan.
     *
     * @param size the size in bytes, or one of {@link TarIndex}'s marks
     * @param problem what the member is, for a message, where it is not a file; otherwise null
     */
    record Target(long content, int size, @Nullable String problem) {
        static Target not(String problem) {
            return new Target(0, 0, problem);
        }
    }

    /** The normalized names of the targets of all hard links; empty in the first scan. */
    private final Set<String> wanted;

    /** The members so far that the names in {@link #wanted} stand for. */
    private final Map<String, Target> targets = new HashMap<>();

    /** The normalized names of the targets of the hard links so far. */
    private final Set<String> linked = new HashSet<>();

    LinkTargets(Set<String> wanted) {
        this.wanted = wanted;
    }

    /** Returns the normalized names of the targets of the hard links so far. */
    Set<String> linked() {
        return linked;
    }

    /** Returns the member that the target of a hard link stands for here. */
    Target link(String targetName) {
        String normalized = MemberName.normalized(targetName);
        linked.add(normalized);
        return targets.getOrDefault(normalized, Target.not("no such member there"));
    }

    /** Records the member that a name stands for from here on. */
    void define(String name, Target target) {
        if (!wanted.isEmpty()) {
            String normalized = MemberName.normalized(name);
            if (wanted.contains(normalized)) {
                targets.put(normalized, target);
            }
        }
    }
}
