package io.millrace.rest;

import io.millrace.pipeline.EvaluationBranch;
import io.millrace.pipeline.Pipeline;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The states of a job's tasks.
 *
 * @param state Flink's name of the job's state
 * @param stateSinceMillis the wall-clock time at which the job entered the state, in milliseconds since 1970
 * @param vertices the vertices of the graph, each of which is a chain of stages
 */
public record JobTasks(String state, long stateSinceMillis, List<Vertex> vertices) {
    /** The states of a task that has no slot yet. */
    private static final Set<String> SLOTLESS = Set.of("CREATED", "SCHEDULED");

    private static final String RESTARTING = "RESTARTING";

    /** The states of a job in which it may wait for slots. */
    private static final Set<String> BEGINNING = Set.of("CREATED", "RUNNING", RESTARTING);

    /** The names of the stages that consume batches. */
    private static final Set<String> CONSUMERS = Set.of("train", "deliver");

    private static final String EVALUATION_SINK = EvaluationBranch.PREFIX + "deliver";

    public JobTasks {
        vertices = List.copyOf(vertices);
    }

    /**
     * A vertex of the graph.
     *
     * @param id Flink's id of the vertex
     * @param name the names of its stages, such as {@code Source: read -> decode -> pack}
     * @param parallelism the number of its subtasks
     * @param tasks the number of subtasks by state
     */
    public record Vertex(String id, String name, int parallelism, Map<String, Integer> tasks) {
        /** The text that Flink puts between the stages of a chain. */
        private static final String LINK = " -> ";

        private static final String SOURCE = "Source: ";

        public Vertex {
            tasks = Map.copyOf(tasks);
        }

        /** Returns the names of the stages. */
        public List<String> stages() {
            return stages(name);
        }

        /** Returns the names of the stages of a vertex with this name. */
        static List<String> stages(String name) {
            return List.of(name.split(LINK, -1)).stream()
                    .map(stage -> stage.startsWith(SOURCE) ? stage.substring(SOURCE.length()) : stage)
                    .toList();
        }

        /** Returns whether a vertex with this name belongs to the evaluation of a served run. */
        static boolean isEvaluation(String name) {
            return stages(name).get(0).startsWith(EvaluationBranch.PREFIX);
        }

        /** Returns whether the vertex belongs to the evaluation of a served run. */
        boolean isEvaluation() {
            return isEvaluation(name);
        }

        private boolean slotless() {
            return tasks.entrySet().stream()
                    .filter(task -> task.getValue() > 0)
                    .allMatch(task -> SLOTLESS.contains(task.getKey()));
        }
    }

    /** Returns the vertex whose tasks consume the batches: the trainers, or the sinks of a run that delivers to clients. */
    public Optional<Vertex> consumer() {
        return vertices.stream()
                .filter(vertex -> vertex.stages().stream().anyMatch(CONSUMERS::contains))
                .findFirst();
    }

    /** Returns the vertex whose tasks deliver the evaluation of a served run. */
    public Optional<Vertex> evaluation() {
        return vertices.stream()
                .filter(vertex -> vertex.stages().contains(EVALUATION_SINK))
                .findFirst();
    }

    /** Returns whether no task has begun, because the job waits for all slots that it needs. */
    public boolean waitsForSlots() {
        return BEGINNING.contains(state)
                && (vertices.isEmpty() || vertices.stream().allMatch(Vertex::slotless));
    }

    /** Returns whether the job has failed and is going to begin again. */
    public boolean restarts() {
        return state.equals(RESTARTING);
    }

    /**
     * Returns the parallelism of each vertex after a change of the stages' parallelism while the job runs, which
     * requires the adaptive scheduler. The result is empty when the change is impossible, because stages that share a
     * task would have different parallelisms, or a stage would leave its task. The stages of an evaluation have the parallelism of
     * the stage that reads.
     *
     * @param stages the new parallelism by stage
     */
    public Map<String, Integer> bounds(Map<String, Integer> stages) {
        Map<String, Integer> bounds = new LinkedHashMap<>();
        for (Vertex vertex : vertices) {
            if (vertex.isEvaluation()) {
                continue;
            }
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
        Integer reading = stages.get(Pipeline.SOURCE);
        if (reading != null) {
            vertices.stream()
                    .filter(vertex -> vertex.isEvaluation() && !vertex.stages().contains(EVALUATION_SINK))
                    .forEach(vertex -> bounds.put(vertex.id(), reading));
        }
        return bounds;
    }

    /** Returns the largest parallelism of a vertex; 0 without vertices. */
    public int parallelism() {
        return vertices.stream().mapToInt(Vertex::parallelism).max().orElse(0);
    }
}
