package io.millrace.rest;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How far a job's tasks are.
 *
 * @param state of the job, Flink's word
 * @param stateSinceMillis wall clock
 * @param vertices the graph's, each some stages in one chain
 */
public record JobTasks(String state, long stateSinceMillis, List<Vertex> vertices) {
    /** States of a task that has no slot yet. */
    private static final Set<String> SLOTLESS = Set.of("CREATED", "SCHEDULED");

    /** States of a job in which it may wait for slots. */
    private static final Set<String> BEGINNING = Set.of("CREATED", "RUNNING", "RESTARTING");

    public JobTasks {
        vertices = List.copyOf(vertices);
    }

    /**
     * One vertex.
     *
     * @param name its stages, as {@code Source: read -> decode -> pack}
     * @param tasks how many subtasks are in which state
     */
    public record Vertex(String id, String name, int parallelism, Map<String, Integer> tasks) {
        /** What Flink puts between the stages of a chain. */
        private static final String LINK = " -> ";

        private static final String SOURCE = "Source: ";

        public Vertex {
            tasks = Map.copyOf(tasks);
        }

        /** The names of its stages. */
        public List<String> stages() {
            return stages(name);
        }

        /** The names of the stages of a vertex with this name. */
        static List<String> stages(String name) {
            return List.of(name.split(LINK, -1)).stream()
                    .map(stage -> stage.startsWith(SOURCE) ? stage.substring(SOURCE.length()) : stage)
                    .toList();
        }

        private boolean slotless() {
            return tasks.entrySet().stream()
                    .filter(task -> task.getValue() > 0)
                    .allMatch(task -> SLOTLESS.contains(task.getKey()));
        }
    }

    /** Whether no task has begun: that is so until all that the job needs is there. */
    public boolean waitsForSlots() {
        return BEGINNING.contains(state)
                && (vertices.isEmpty() || vertices.stream().allMatch(Vertex::slotless));
    }

    /**
     * What the adaptive scheduler is to be told, by vertex, for another parallelism of these stages as the job runs; empty
     * when that is not enough, since stages that share a task would no longer have the same, or one would leave its task.
     */
    public Map<String, Integer> bounds(Map<String, Integer> stages) {
        Map<String, Integer> bounds = new LinkedHashMap<>();
        for (Vertex vertex : vertices) {
            List<Integer> wanted = vertex.stages().stream()
                    .filter(stages::containsKey)
                    .map(stages::get)
                    .distinct()
                    .toList();
            if (wanted.size() > 1) {
                return Map.of();
            }
            if (wanted.size() == 1) {
                bounds.put(vertex.id(), wanted.get(0));
            }
        }
        return bounds;
    }

    /** The subtasks of the widest vertex. */
    public int parallelism() {
        return vertices.stream().mapToInt(Vertex::parallelism).max().orElse(0);
    }
}
