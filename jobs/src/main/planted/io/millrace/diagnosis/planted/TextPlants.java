package io.millrace.diagnosis.planted;

import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Limit;
import java.util.List;

/** The cases with text for language models: costly tokens, sequences that are not full, and slow storage. */
final class TextPlants {
    /** Texts that the library makes into tokens. The fix is to read the ids of the same tokens. The delay bounds the speed after it. */
    private static final Plant TOKENIZER = new Plant(
                    "slow-tokenizer",
                    Limit.Kind.SLOTS,
                    "tokenize",
                    """
                    dataset: { format: jsonl, path: DATA/texts.jsonl, epochs: endless }
                    parallelism: 1
                    transforms:
                      - tokenize: { tokenizer: DATA/words.json, add: [eos], eos: end }
                      - pack_sequences: { length: 2048 }
                      - Delay: { ms: 2, mode: sleep }
                    batch: { size: 8 }
                    train: { model: none, input: [tokens, lengths] }
                    """,
                    List.of(
                            "dataset={format: tokens, path: DATA/ids.bin, dtype: uint16, document_end: 0, epochs: endless}",
                            "transforms=[pack_sequences: {length: 2048}, Delay: {ms: 2, mode: sleep}]"),
                    (model, known) -> model.scaled("tokenize", 0))
            .with(PlantTexts::write);

    /**
     * Each document is a sequence, which it fills to a third. Training needs the same time for each sequence, so that fuller ones
     * train on more tokens in the same time.
     */
    private static final Plant FILL = new Plant(
                    "badly-filled-sequences",
                    Limit.Kind.TRAINING,
                    CapacityModel.STEP,
                    """
                    dataset: { format: tokens, path: DATA/ids.bin, dtype: uint16, document_end: 0, epochs: endless }
                    parallelism: 1
                    transforms: [ pack_sequences: { length: 1024, policy: none } ]
                    batch: { size: 8 }
                    device: { simulated_asynchronous: true, simulated_step: 40ms }
                    train: { model: none, input: [tokens, lengths] }
                    """,
                    List.of("transforms.0.pack_sequences.policy=auto"),
                    (model, known) -> model)
            .with(PlantTexts::write)
            .withBadFill();

    /**
     * Texts in a file whose storage answers each request after 10 ms, as an object store does. In random order, each document is a
     * request, and a sequence has several documents. The fix doubles the threads.
     */
    private static final Plant STORAGE = new Plant(
                    "slow-storage-of-texts",
                    Limit.Kind.STORAGE,
                    "read",
                    """
                    dataset: { format: jsonl, path: "throttled://bandwidth-0.each-0.open-0.request-10DATA/texts.jsonl", epochs: endless }
                    order: { shuffle: full }
                    parallelism: 1
                    transforms:
                      - tokenize: { tokenizer: DATA/words.json, add: [eos], eos: end }
                      - pack_sequences: { length: 2048 }
                    batch: { size: 8 }
                    train: { model: none, input: [tokens, lengths] }
                    """,
                    List.of("read.threads=8", "read.read_ahead=8", "read.window=40"),
                    (model, known) -> model.withSlots("read", 8))
            .with(PlantTexts::write);

    private TextPlants() {}

    static List<Plant> all() {
        return List.of(TOKENIZER, FILL, STORAGE);
    }
}
